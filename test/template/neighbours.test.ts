/**
 * A value may not complete SQL syntax with the text beside it, whatever way it takes to get there; what is bound, what
 * the script itself wrote and what our functions make may stand anywhere.
 */
import t from 'tap';
import { compile, RefusedValue } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

type Sent = Readonly<Record<string, string | readonly string[]>>;
type Refusal = readonly [template: string, sent: Sent, parameter: string];
type Pass = readonly [template: string, sent: Sent, text: string];

const REFUSED: Refusal[] = [
  // Comments, casts, escaped quotes, at both edges of a value.
  ['a -{{.x}}', { x: '- 1' }, 'x'],
  ['a -{{.x}}', { x: '-1' }, 'x'],
  ['{{.x}}- 1', { x: '5-' }, 'x'],
  ['{{.x}}-{{.y}}', { x: '1', y: '-1' }, 'y'],
  ['{{.x}}{{.y}}', { x: '-', y: '-' }, 'x'],
  ['{{.x}}{{.e}}{{.y}}', { x: '-', e: '', y: '-' }, 'x'],
  ['{{.x}}{{""}}{{.y}}', { x: '-', y: '-' }, 'x'],
  // An empty value between two that meet across it.
  ['-{{.x}}-', { x: '' }, 'x'],
  ['{{"/"}}{{.x}}{{.y}}*', { x: '', y: '' }, 'x'],
  ['{{print ":" .x ":"}}', { x: '' }, 'x'],
  ['-{{slice .x 1}}-', { x: 'a' }, 'x'],
  ['{{.x}}{{/* c */}}-', { x: '-' }, 'x'],
  ['{{.x}} {{- "-"}}', { x: '-' }, 'x'],
  ['{{"-"}}{{.x}}', { x: '-' }, 'x'],
  ['{{.x}}*', { x: '/' }, 'x'],
  ['a:{{.x}}', { x: ':text' }, 'x'],
  ['{{.x}}:text', { x: 'a:' }, 'x'],
  ["E'{{.x}}'", { x: 'a\\' }, 'x'],
  ['"{{.x}}"', { x: 'a\\' }, 'x'],
  ['{{.x}}{{"\'"}}', { x: '\\' }, 'x'],
  // Through variables, with, range, templates and blocks.
  ['{{$v := .x}}-{{$v}}', { x: '-' }, 'x'],
  ['{{$v := ""}}{{$v = .x}}-{{$v}}', { x: '-' }, 'x'],
  ['{{with .x}}-{{.}}{{end}}', { x: '-' }, 'x'],
  ['{{range .x}}{{.}}{{end}}', { x: ['-', '-'] }, 'x'],
  ['{{range $i, $v := .x}}:{{$v}}{{end}}', { x: ['a', ':b'] }, 'x'],
  ['{{index .x 0}}-', { x: ['-', 'a'] }, 'x'],
  ['{{define "d"}}-{{.}}{{end}}{{template "d" .x}}', { x: '-' }, 'x'],
  ['{{define "d"}}{{.}}{{end}}-{{template "d" .x}}', { x: '-' }, 'x'],
  ['-{{block "b" .x}}{{.}}{{end}}', { x: '-' }, 'x'],
  ['-{{or .x "a"}}', { x: '-' }, 'x'],
  ['-{{and .x .x}}', { x: '-' }, 'x'],
  ['{{if .x}}-{{end}}{{.x}}', { x: '-' }, 'x'],
  // Through functions, and inside of what they make.
  ['-{{print .x}}', { x: '-' }, 'x'],
  ['-{{printf "%s" .x}}', { x: '-' }, 'x'],
  ['-{{.x | printf "%v" | html | js}}', { x: '-' }, 'x'],
  ['{{print "-" .x}}', { x: '-' }, 'x'],
  ['{{print .x .y}}', { x: '-', y: '-' }, 'x'],
  ['{{printf "%s%s" .x .y}}', { x: ':', y: ':' }, 'x'],
  ['{{printf "a:%s" .x}}', { x: ':b' }, 'x'],
  ['{{printf "\'%s\'" .x}}', { x: 'a\\' }, 'x'],
  ['{{printf "%s/%s" .y .x}}{{"*"}}', { x: '/', y: 'a' }, 'y'],
  ['{{html .x .y}}', { x: '-', y: '-' }, 'x'],
  ['{{printf "%c%c" (index .x 0) (index .x 0)}}', { x: '-' }, 'x'],
  ['{{printf "%c" (len .x)}}', { x: 'a'.repeat(39) }, 'x'],
  ['{{printf "%[1]s%[1]s" .x}}', { x: '-' }, 'x'],
  ['{{$a := print "-" .y}}{{print $a .x}}', { x: '-', y: '' }, 'y'],
  ['{{printf "%*d%s" .x 1 .x}}{{"-"}}', { x: '-' }, 'x'],
  ['{{slice .x 1}}-', { x: 'a-' }, 'x'],
  ['{{range split .x "a"}}{{.}}{{end}}', { x: '-a-' }, 'x'],
  ['{{inFormat "x"}}', { x: 'a\\' }, 'x'],
  ['{{inFormat "x"}}', { x: ['b', 'a\\'] }, 'x'],
  ['-{{unEscape .x}}', { x: '-' }, 'x'],
  ['-{{defaultOrValue "x" "1"}}', { x: '-' }, 'x'],
  ['{{defaultOrValue "z" .x}}-', { x: '-' }, 'x'],
  ['{{$d := defaultOrValue "z" .x}}-{{.z}}', { x: '-' }, 'x'],
  ['{{$d := defaultOrValue "z" (print ":" .x)}}:{{.z}}', { x: 'a' }, 'x'],
  // A part of a value that reads as a keyword where the whole did not.
  ['{{slice .x 1}}', { x: 'xunion b' }, 'x'],
  ['{{printf "%.8s" .x}}', { x: 'a selectx' }, 'x'],
  ['{{range split .x "_"}}{{.}}{{end}}', { x: 'a_b select_c' }, 'x'],
  // Names come from the request too.
  ['{{range $k, $v := .}}{{$k}}{{end}}', { "a'b": '1' }, "a'b"],
  ['{{.}}', { 'a;b': '1' }, 'a;b'],
];

t.test('refused', (t) => {
  for (const [template, sent, parameter] of REFUSED) {
    let error: unknown;
    try {
      compile(template, 't').render(new ScreenedMap(sent));
    } catch (e) {
      error = e;
    }
    t.type(error, RefusedValue, template);
    if (error instanceof RefusedValue) t.equal(error.parameter, parameter, template);
  }
  t.end();
});

const PASSED: Pass[] = [
  ['a - {{.x}}', { x: '-1' }, 'a - -1'],
  ['{{.x}} - 1', { x: '5' }, '5 - 1'],
  ['-- {{.x}}', { x: 'a' }, '-- a'],
  ['{{.x}}::int', { x: '5' }, '5::int'],
  ['{{printf "%s::int" .x}}', { x: '5' }, '5::int'],
  ['{{$c := printf "%s::int" .x}}{{print $c " AND"}}', { x: '5' }, '5::int AND'],
  ['/* {{.x}} */', { x: 'a' }, '/* a */'],
  ["'{{.x}}'", { x: 'a\\b' }, "'a\\b'"],
  ["'\\{{.x}}'", { x: 'a' }, "'\\a'"],
  ["'\\{{.x}}'", { x: '' }, "'\\'"],
  ['-{{.x}} -', { x: '' }, '- -'],
  ['{{"-"}}{{"-"}}', {}, '--'],
  ['{{print "it\'s --" " ::"}}', {}, "it's -- ::"],
  ['{{sqlVal "x"}}::int', { x: '5' }, '$1::int'],
  ['{{printf "%s::int" (sqlVal "x")}}', { x: "'; --" }, '$1::int'],
  ['-{{limitOffset .p .x}}', { p: '1', x: '-5' }, '-LIMIT -5 OFFSET(1 - 1) * -5'],
  ['{{ident "x"}}.a', { x: 't' }, '"t".a'],
  ['{{range $i, $v := .x}}{{if $i}}, {{end}}{{$v}}{{end}}', { x: ['-1', '-2'] }, '-1, -2'],
  ['{{len .x}}', { x: 'abc' }, '3'],
  ['{{eq .x "-"}}-', { x: '-' }, 'true-'],
  ['{{.x}}', { x: '-' }, '-'],
  ['{{inFormat "x"}}', { x: ['-', '-'] }, "('-', '-')"],
];

t.test('passed', (t) => {
  for (const [template, sent, text] of PASSED)
    t.equal(compile(template, 't').render(new ScreenedMap(sent)).text, text, template);
  t.end();
});

t.test('a header is named with its prefix', (t) => {
  const data = new ScreenedMap({}, { 'X-A': '-' });
  const render = () => compile('-{{index .header "X-A"}}', 't').render(data);
  t.throws(render, new RefusedValue('header.X-A'));
  t.end();
});

t.test('plain data is not screened', (t) => {
  t.equal(compile('-{{.x}}', 't').render({ x: '-' }).text, '--');
  t.end();
});
