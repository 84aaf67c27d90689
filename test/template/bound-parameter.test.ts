/** The parameter that a placeholder binds, and the parameters whose text is in a token of SQL. */
import t from 'tap';
import { compile } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

const DATA = new ScreenedMap({ a: '1', b: '2', list: ['3', '4'], name: 'a' });

/** A template, and the parameters of its placeholders; '-' where the name is computed. */
const BOUND: readonly [template: string, parameters: string][] = [
  ['SELECT 1', ''],
  ['{{sqlVal "a"}} {{sqlVal "b"}}', 'a b'],
  ['{{sqlVal "a"}} {{sqlList "list"}} {{sqlVal "b"}}', 'a list list b'],
  ['{{"a" | sqlVal}} {{sqlVal (print "b")}}', 'a -'],
  ['{{sqlVal .name}} {{sqlVal "b"}}', '- b'],
  ['{{if isSet "b"}}{{sqlVal "b"}}{{else}}{{sqlVal "a"}}{{end}}', 'b'],
  ['{{range .list}}{{sqlVal "a"}},{{end}}', 'a a'],
  ['{{define "x"}}{{sqlVal "a"}}{{end}}{{template "x" .}}{{sqlVal "b"}}', 'a b'],
  ['{{printf "%s + %s" (sqlVal "a") (sqlVal "b")}}', 'a b'],
  ['{{printf "%s %s" (sqlList "list") (sqlVal "b")}}', '- - -'],
  ['{{printf "%s %s" (sqlVal "a") (sqlVal "a")}}', 'a a'],
  ['\'{{"$1"}}\' {{sqlVal "a"}}', 'a'],
  ['{{$p := sqlVal "a"}}{{$p}}', '-'],
  ['{{sqlVal "header.X"}}', 'header.X'],
  ['{{range .list}}{{sqlVal "a"}}{{end}}'.repeat(6), 'a '.repeat(12).trim()],
];

t.test('bound', (t) => {
  for (const [template, parameters] of BOUND) {
    const rendered = compile(template, 't').render(DATA);
    const names = rendered.values.map((_, i) => rendered.boundParameter(i + 1) ?? '-');
    t.equal(names.join(' '), parameters, template);
  }
  t.end();
});

t.test('text that looks like a placeholder', (t) => {
  const rendered = compile(`{{"$1"}}; {{sqlVal "a"}}; {{sqlVal "b"}}`, 't').render(DATA);
  t.equal(rendered.text, '$1; $1; $2');
  t.equal(rendered.boundParameter(1), 'a');
  t.equal(rendered.boundParameter(3), undefined);
  t.end();
});

t.test('interpolated', (t) => {
  const cases: readonly [template: string, at: string, parameters: string[]][] = [
    ["SELECT '{{.a}}'::int, '{{.b}}'", "'1", ['a']],
    ["SELECT '{{.a}}'::int, '{{.b}}'", "'2", ['b']],
    ["SELECT '{{.a}}-{{.b}}'::date", "'", ['a', 'b']],
    ["SELECT 'x'::date, {{.b}}", "'x", []],
    ['SELECT {{.b}}', '2', ['b']],
    ['SELECT 1', '1', []],
  ];
  for (const [template, at, parameters] of cases) {
    const rendered = compile(template, 't').render(DATA);
    t.same(rendered.interpolatedAt(rendered.text.indexOf(at)), parameters, template);
  }
  t.end();
});
