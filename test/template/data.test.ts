/**
 * Data: names of JavaScript's prototypes are ordinary keys, data is never changed, and a map with methods behaves like
 * plain data.
 */
import t from 'tap';
import { compile, type TemplateMap } from '#app/template/template.js';

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  'get',
];

t.test('prototype names', (t) => {
  for (const name of NAMES) {
    const key = JSON.stringify(name);
    const template = compile(
      `{{.${name}}}|{{index . ${key}}}|{{isSet ${key}}}|{{sqlVal ${key}}}|{{.header.${name}}}|{{sqlVal "header.${name}"}}`,
      't',
    );
    const absent = template.render({ header: {} });
    t.equal(absent.text, '<no value>|<no value>|false|$1|<no value>|$2', name);
    t.same(absent.values, [null, null]);
    const own = JSON.parse(`{${key}: "a", "header": {${key}: "b"}}`) as unknown;
    const present = template.render(own);
    t.equal(present.text, 'a|a|true|$1|b|$2', name);
    t.same(present.values, ['a', 'b']);
    const set = compile(`{{defaultOrValue ${key} "d"}}{{.${name}}}`, 't').render({});
    t.equal(set.text, 'dd', name);
  }
  t.end();
});

t.test('the data is not changed', (t) => {
  const data = Object.freeze({ list: Object.freeze(['a', 'b']) });
  const template = compile('{{defaultOrValue "x" "d"}}{{.x}}{{slice .list 1}}{{isSet "x"}}', 't');
  for (let i = 0; i < 2; i++) t.equal(template.render(data).text, 'dd[b]true');
  t.same(data, { list: ['a', 'b'] });
  t.end();
});

t.test('a map with methods', (t) => {
  const sent = new Map<string, unknown>([
    ['a', '1'],
    ['b', ['x', 'y']],
  ]);
  const data: TemplateMap = {
    get: (key) => (key === 'page' ? '1' : sent.get(key)),
    keys: () => sent.keys(),
    raw: (key) => (key === 'header.X' ? 'raw' : sent.get(key)),
    isSent: (key) => sent.has(key),
  };
  const cases: [string, string][] = [
    ['{{.a}} {{.b}} {{.page}} {{.none}}', '1 [x y] 1 <no value>'],
    ['{{.}}', 'map[a:1 b:[x y]]'],
    ['{{isSet "page"}} {{defaultOrValue "page" "7"}} {{.page}} {{isSet "page"}}', 'false 7 7 true'],
    ['{{range $k, $v := .}}{{$k}}={{$v}};{{end}}', 'a=1;b=[x y];'],
    ['{{len .}}', '2'],
  ];
  for (const [template, text] of cases) t.equal(compile(template, 't').render(data).text, text);
  const bound = compile(
    '{{sqlVal "b"}}{{sqlVal "header.X"}}{{sqlList "b"}}{{sqlVal "none"}}',
    't',
  ).render(data);
  t.same(bound.values, ['{"x","y"}', 'raw', 'x', 'y', null]);
  t.end();
});

t.test('bound lists are array literals', (t) => {
  const list = ['a"b', 'c\\d', '', 'NULL', null, 'e,f{}'];
  const { values } = compile('{{sqlVal "v"}}', 't').render({ v: list });
  t.same(values, ['{"a\\"b","c\\\\d","","NULL",NULL,"e,f{}"}']);
  t.end();
});

t.test('text is always well-formed', (t) => {
  const split = compile(
    '{{index (split "\\xc3,\\xa9" ",") 0}}{{index (split "\\xc3,\\xa9" ",") 1}}',
    't',
  );
  t.equal(split.render({}).text, 'é');
  t.equal(compile('{{.v}}|{{slice "é" 1}}', 't').render({ v: '\ud800' }).text, '\ufffd|\ufffd');
  t.end();
});

t.test('a template without actions renders the same result every time', (t) => {
  const template = compile('SELECT 1', 't');
  t.ok(template.constant);
  t.equal(template.render({}), template.render({ a: 1 }));
  t.notOk(compile('SELECT {{1}}', 't').constant);
  t.end();
});
