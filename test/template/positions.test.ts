/**
 * Errors name the line and the column in characters, and the map from rendered text leads back to the template.
 */
import t from 'tap';
import { compile, TemplateError } from '#app/template/template.js';

function errorOf(template: string, data: unknown = {}): TemplateError {
  try {
    compile(template, 'folder/name').render(data);
  } catch (e) {
    if (e instanceof TemplateError) return e;
  }
  throw new Error(`no template error: ${template}`);
}

t.test('errors', (t) => {
  const cases: [template: string, stage: string, line: number, column: number][] = [
    ['{{len 1}}', 'exec', 1, 3],
    ['a\n\nbc{{len 1}}', 'exec', 3, 5],
    ['世界{{len 1}}', 'exec', 1, 5],
    ['😀{{len 1}}', 'exec', 1, 4],
    ['a\n{{define "d"}}\n {{.x.y}}{{end}}{{template "d" 5}}', 'exec', 3, 6],
    ['{{if}}', 'parse', 1, 5],
    ['a\n  {{nope 1}}', 'parse', 2, 5],
    ['{{range .x}}\n', 'parse', 2, 1],
    ['a\n{{"abc', 'parse', 2, 3],
    ['{{template "nope"}}', 'exec', 1, 12],
  ];
  for (const [template, stage, line, column] of cases) {
    const e = errorOf(template);
    t.same([e.stage, e.template, e.line, e.column], [stage, 'folder/name', line, column], template);
    t.match(e.message, /^template: folder\/name:\d+:/);
  }
  t.end();
});

t.test('safe messages contain neither data nor constants of the script', (t) => {
  const data = { s: 'SECRET', list: ['SECRET'], m: { SECRET: 'SECRET' }, n: 424242 };
  const templates = [
    '{{range .s}}{{end}}',
    '{{eq .list .list}}',
    '{{eq .m .m}}',
    '{{ident "s"}}{{index .list .n}}',
    '{{index .list .n}}',
    '{{slice .s .n}}',
    '{{$n := .n}}{{slice .s $n}}',
    '{{limitOffset .s 1}}',
    '{{.s | call}}',
    '{{call "SECRET"}}',
    '{{.s.x}}',
    '{{isSet .n}}',
    '{{"SECRET" 1}}',
    '{{len (printf "SECRET" | len)}}',
    '{{range $a, $b := .n}}{{end}}',
    '{{ident "SECRET SECRET"}}',
    '{{"SECRET".x}}',
    '{{template 1 "SECRET"}}',
    '{{define .x "SECRET"}}',
    '{{1 | "SECRET"}}',
    "{{'SECRET'}}",
    '{{template "SECRET"}}',
  ];
  for (const template of templates) {
    const e = errorOf(template, data);
    t.notMatch(e.safeMessage, /SECRET|424242/, `${template} → ${e.safeMessage}`);
    t.match(e.safeMessage, /^template: folder\/name:\d/);
  }
  t.end();
});

t.test('the map back to the template', (t) => {
  const template = [
    'SELECT {{.a}}, b -- 😀',
    '{{- if .c}}',
    '  WHERE {{printf "%s" .c}} {{- end}}',
    '{{define "d"}}x = {{sqlVal "a"}}{{end}}AND {{template "d" .}};',
  ].join('\n');
  const rendered = compile(template, 't').render({ a: 'alpha', c: 'gamma' });
  const cases: [text: string, line: number, column: number][] = [
    ['SELECT', 1, 1],
    ['alpha', 1, 10],
    ['pha', 1, 10],
    [', b', 1, 14],
    ['😀', 1, 21],
    ['WHERE', 3, 3],
    ['gamma', 3, 11],
    ['AND', 4, 40],
    ['x =', 4, 15],
    ['$1', 4, 21],
    [';', 4, 62],
  ];
  for (const [text, line, column] of cases)
    t.same(rendered.locate(rendered.text.indexOf(text)), { line, column }, text);
  t.same(rendered.locate(rendered.text.length), { line: 4, column: 63 });
  t.same(compile('', 't').render({}).locate(0), { line: 1, column: 1 });
  t.end();
});
