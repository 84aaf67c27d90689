/**
 * Errors that a value of the request causes name its parameter and what is expected; errors of the template itself do
 * not. No message for the log has a value.
 */
import t from 'tap';
import { compile, InvalidParameter, TemplateError } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

const DATA = {
  a: 'secret',
  n: '7',
  one: 'x',
  list: ['secret', 'other'],
  bad: "secret'; DROP",
};

function failing(template: string): TemplateError {
  try {
    compile(template, 't').render(new ScreenedMap(DATA, { Sort: 'secret' }));
  } catch (e) {
    if (e instanceof TemplateError) return e;
    throw e;
  }
  throw new Error(`${template} does not fail`);
}

const SENT: readonly [template: string, parameter: string, expected: string][] = [
  ['{{limitOffset .a "1"}}', 'a', 'an integer'],
  ['{{limitOffset "1" .list}}', 'list', 'an integer'],
  ['{{"1" | limitOffset .a}}', 'a', 'an integer'],
  ['{{.a | limitOffset "1"}}', 'a', 'an integer'],
  ['{{$v := .a}}{{limitOffset 1 $v}}', 'a', 'an integer'],
  ['{{range .a}}{{end}}', 'a', 'several values: repeat the parameter'],
  ['{{range $i, $v := .a}}{{end}}', 'a', 'several values: repeat the parameter'],
  ['{{range .bad}}{{end}}', 'bad', 'several values: repeat the parameter'],
  ['{{range .header.Sort}}{{end}}', 'header.Sort', 'several values: repeat the parameter'],
  ['{{gt .n 5}}', 'n', 'a value that can be compared with an integer'],
  ['{{lt 5 .n}}', 'n', 'a value that can be compared with an integer'],
  ['{{eq .n 5.5}}', 'n', 'a value that can be compared with a number'],
  ['{{eq .n true}}', 'n', 'a value that can be compared with a boolean'],
  ['{{eq .list "x"}}', 'list', 'one value'],
  ['{{eq "x" .list}}', 'list', 'one value'],
  ['{{eq .list .list}}', 'list', 'one value'],
  ['{{lt .list "x"}}', 'list', 'one value'],
  ['{{eq (len .a) "x"}}', 'a', 'a value that can be compared with a text'],
  ['{{eq .bad "x"}}', 'bad', 'a value without SQL syntax'],
  ['{{len .bad}}', 'bad', 'a value without SQL syntax'],
  ['{{index .bad 0}}', 'bad', 'a value without SQL syntax'],
  ['{{index .list 2}}', 'list', 'at least 3 values'],
  ['{{index .list 9}}', 'list', 'at least 10 values'],
  ['{{index .one 1}}', 'one', 'at least 2 bytes'],
  ['{{index (split .a ",") 1}}', 'a', 'at least 2 values'],
  ['{{slice .one 0 5}}', 'one', 'at least 5 bytes'],
  ['{{slice .list 3}}', 'list', 'at least 3 values'],
  ['{{slice .one 0 1 1}}', 'one', 'several values'],
  ['{{split .list ","}}', 'list', 'one value'],
  ['{{unEscape .list}}', 'list', 'one value'],
  ['{{printf .list}}', 'list', 'one value'],
  ['{{ident "a.b"}}', 'a.b', 'an identifier'],
  ['{{ident "list"}}', 'list', 'an identifier'],
];

t.test('a value that was sent', (t) => {
  for (const [template, parameter, expected] of SENT) {
    const e = failing(template);
    const { missing } = e instanceof InvalidParameter ? e.invalid : { missing: undefined };
    if (!(e instanceof InvalidParameter)) t.fail(template, { message: e.message });
    else t.match(e.invalid, { parameter, expected }, template);
    t.equal(missing, template.includes('a.b'), template);
    t.notMatch(e.safeMessage, 'secret', template);
    t.equal(e.stage, 'exec');
  }
  t.end();
});

t.test('a name that was sent is not repeated', (t) => {
  const e = failing('{{ident .a}}');
  t.ok(e instanceof InvalidParameter);
  t.match(e, { invalid: { parameter: 'a', expected: 'an identifier', missing: true } });
  t.end();
});

const MISSING: readonly [template: string, parameter: string, expected: string][] = [
  ['{{limitOffset .page 10}}', 'page', 'an integer'],
  ['{{limitOffset 1 $.size}}', 'size', 'an integer'],
  ['{{limitOffset (index . "page") 10}}', 'page', 'an integer'],
  ['{{split .none ","}}', 'none', 'one value'],
  ['{{split .header.None ","}}', 'header.None', 'one value'],
  ['{{split (index .header "None") ","}}', 'header.None', 'one value'],
  ['{{with .header}}{{split .None ","}}{{end}}', 'header.None', 'one value'],
  ['{{len .none}}', 'none', 'a value'],
  ['{{lt .none "5"}}', 'none', 'a value'],
  ['{{gt "5" .none}}', 'none', 'a value'],
  ['{{index .none 0}}', 'none', 'a value'],
  ['{{slice .none 1}}', 'none', 'a value'],
  ['{{ident "none"}}', 'none', 'an identifier'],
];

t.test('a value that was not sent', (t) => {
  for (const [template, parameter, expected] of MISSING) {
    const e = failing(template);
    if (!(e instanceof InvalidParameter)) t.fail(template, { message: e.message });
    else t.match(e.invalid, { parameter, expected, missing: true }, template);
  }
  t.end();
});

/** Whatever is sent, these fail. */
const BROKEN = [
  '{{limitOffset "x" 1}}',
  '{{range "x"}}{{end}}',
  '{{range true}}{{end}}',
  '{{gt "a" 5}}',
  '{{lt nil 5}}',
  '{{len 1}}',
  '{{index "abc" 5}}',
  '{{index .a "x"}}',
  '{{index .a -1}}',
  '{{index .none "x"}}',
  '{{index .list .n}}',
  '{{slice "abc" 2 1}}',
  '{{.a.b}}',
  '{{.a 1}}',
  '{{call .a}}',
  '{{split nil ","}}',
  '{{template "none"}}',
];

t.test('the template is broken', (t) => {
  for (const template of BROKEN) {
    const e = failing(template);
    t.notOk(e instanceof InvalidParameter, template);
    t.notMatch(e.safeMessage, 'secret', template);
  }
  t.end();
});
