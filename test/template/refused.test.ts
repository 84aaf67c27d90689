/**
 * A refused value may be passed around; using its text throws RefusedValue with the parameter's name, and comparing,
 * measuring or indexing it is a template error.
 */
import t from 'tap';
import { compile, RefusedValue, TemplateError } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

const BAD = "x'; DROP TABLE t";
const data = () => new ScreenedMap({ bad: BAD, list: ['a', BAD], good: 'b' });
const render = (template: string) => compile(template, 't').render(data());

const USES = [
  '{{.bad}}',
  '{{$v := .bad}}{{$v}}',
  '{{with .bad}}{{.}}{{end}}',
  '{{define "d"}}{{.}}{{end}}{{template "d" .bad}}',
  '{{range .list}}{{.}}{{end}}',
  '{{.list}}',
  '{{index .list 1}}',
  '{{or .bad "a"}}',
  '{{print .bad}}',
  '{{print .list}}',
  '{{println "a" .bad}}',
  '{{printf "%d" .bad}}',
  '{{printf "%T" .bad}}',
  '{{printf "a" .bad}}',
  '{{printf .bad}}',
  '{{html .bad}}',
  '{{js .bad}}',
  '{{urlquery .bad}}',
  '{{slice .bad 1}}',
  '{{split .bad ","}}',
  '{{split "a" .bad}}',
  '{{unEscape .bad}}',
  '{{inFormat "bad"}}',
  '{{inFormat "list"}}',
  '{{limitOffset .bad "1"}}',
  '{{limitOffset "1" .bad}}',
  '{{sqlVal .bad}}',
  '{{isSet .bad}}',
  '{{defaultOrValue "bad" "a"}}',
  '{{$x := defaultOrValue "none" .bad}}',
  '{{.}}',
];

t.test('using the text', (t) => {
  for (const template of USES) {
    try {
      render(template);
      t.fail(template);
    } catch (e) {
      if (!(e instanceof RefusedValue)) t.fail(template, { error: e });
      else {
        t.match(e.parameter, /^(bad|list)$/, template);
        t.notMatch(e.message, 'DROP', template);
      }
    }
  }
  t.end();
});

t.test('template errors', (t) => {
  const templates = [
    '{{eq .bad "a"}}',
    '{{eq "a" .bad}}',
    '{{ne .bad 1}}',
    '{{lt .bad "a"}}',
    '{{len .bad}}',
    '{{index .bad 0}}',
    '{{index .bad}}',
    '{{index . .bad}}',
    '{{eq .list .list}}',
    '{{.bad.x}}',
    '{{range .bad}}{{end}}',
    '{{call .bad}}',
    // The first problem is reported.
    '{{len 1}}{{.bad}}',
  ];
  for (const template of templates) {
    try {
      render(template);
      t.fail(template);
    } catch (e) {
      if (!(e instanceof TemplateError)) t.fail(template, { error: e });
      else {
        t.equal(e.stage, 'exec', template);
        t.notMatch(e.safeMessage, 'DROP', template);
      }
    }
  }
  t.end();
});

t.test('passing it around is allowed', (t) => {
  const cases: [string, string][] = [
    ['{{if .bad}}yes{{end}}', 'yes'],
    ['{{not .bad}}', 'false'],
    ['{{if and .bad .good}}yes{{end}}', 'yes'],
    ['{{if or .bad .none}}yes{{end}}', 'yes'],
    ['{{$v := .bad}}{{with $v}}a{{end}}', 'a'],
    ['{{define "d"}}b{{end}}{{template "d" .bad}}', 'b'],
    ['{{range $i, $v := .list}}{{$i}}{{end}}', '01'],
    ['{{len .list}}', '2'],
    ['{{index .list 0}}', 'a'],
    ['{{sqlVal "bad"}}', '$1'],
    ['{{isSet "bad"}}', 'true'],
  ];
  for (const [template, text] of cases) t.equal(render(template).text, text, template);
  t.same(render('{{sqlVal "bad"}} {{sqlList "list"}}').values, [BAD, 'a', BAD]);
  t.end();
});

t.test('unEscape is screened after it decodes', (t) => {
  const cases: [value: string, text: string | undefined][] = [
    ['a+b', undefined], // the screen does not allow + and %
    ['a b', 'a b'],
  ];
  for (const [value, text] of cases) {
    const run = () => compile('{{unEscape .v}}', 't').render(new ScreenedMap({ v: value })).text;
    if (text === undefined) t.throws(run, new RefusedValue('v'));
    else t.equal(run(), text);
  }
  // Percent signs can only come from the script itself.
  const composed = () =>
    compile('{{unEscape (printf "%%%s" .v)}}', 't').render(new ScreenedMap({ v: '27' })).text;
  t.throws(composed, new RefusedValue('v'));
  t.equal(compile('{{unEscape "%27"}}', 't').render(new ScreenedMap({})).text, "'");
  t.end();
});
