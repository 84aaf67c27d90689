/**
 * A value must not form SQL syntax together with adjacent text, however it got there. Bound values, text of the script
 * itself and results of the SQL functions may be anywhere.
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
  // An empty value between two texts.
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
  // The end of a comment.
  ['/* a *{{.x}} 1', { x: '/ 1' }, 'x'],
  ['/* a *{{.x}}/ 1', { x: '' }, 'x'],
  ['{{printf "*%s" .x}}', { x: '/' }, 'x'],
  // The prefix of a literal, as a word of its own.
  ["{{.x}}'a'", { x: 'e' }, 'x'],
  ["{{.x}}'a'", { x: 'B' }, 'x'],
  ["{{.x}}'a'", { x: 'x' }, 'x'],
  ["{{.x}}'a'", { x: 'N' }, 'x'],
  ["{{.x}}'a'", { x: 'id e' }, 'x'],
  ["{{.x}}'a'", { x: '1e' }, 'x'],
  ["a.{{.x}}'a'", { x: 'e' }, 'x'],
  ["{{.x}}&'a'", { x: 'u' }, 'x'],
  ['{{.x}}&"a"', { x: 'a U' }, 'x'],
  ["'a' || {{.x}}'b'", { x: 'e' }, 'x'],
  ["'it''s' {{.x}}'b'", { x: 'e' }, 'x'],
  ["-- it's\n{{.x}}'b'", { x: 'e' }, 'x'],
  ["\"it's\" {{.x}}'b'", { x: 'e' }, 'x'],
  ["{{.x}}{{.e}}'a'", { x: 'e', e: '' }, 'x'],
  ["E{{.e}}'a'", { e: '' }, 'e'],
  ['{{.x}}{{inFormat "y" | printf "\'%s\'"}}', { x: 'e', y: 'a' }, 'x'],
  ['{{printf "%s\'a\'" .x}}', { x: 'e' }, 'x'],
  ['{{printf "%s&\'a\'" .x}}', { x: 'u' }, 'x'],
  ['{{print .x "\'a\'"}}', { x: 'e' }, 'x'],
  ['{{printf "%s; %s" .y (print .x "\'a\'")}}', { x: 'e', y: 'b' }, 'x'],
  ['{{slice (print .x "\'a\'") 0}}', { x: 'e' }, 'x'],
  ['{{range split (print .x "\'a\'") "|"}}{{.}}{{end}}', { x: 'e' }, 'x'],
  ["{{range .x}}{{.}}'a'{{end}}", { x: ['a', 'e'] }, 'x'],
  ["{{unEscape .x}}'a'", { x: 'e' }, 'x'],
  ["{{html .x}}'a'", { x: 'e' }, 'x'],
  ['{{defaultOrValue "x" "a"}}\'a\'', { x: 'e' }, 'x'],
  ['{{inFormat "z"}}{{.x}}\'a\'', { x: 'e', z: 'plan b' }, 'x'],
  // A keyword directly after a number that begins before the value.
  ['1{{.x}}', { x: 'e0or true' }, 'x'],
  ['1.{{.x}}', { x: 'e5or true' }, 'x'],
  ['a = 0{{.x}}', { x: 'x1or true' }, 'x'],
  ['{{.x}}{{.y}}', { x: '1', y: 'e0or true' }, 'y'],
  ['{{printf "1%s" .x}}', { x: 'e0or true' }, 'x'],
  ['{{.x}}{{.y}}', { x: 'o', y: 'r true' }, 'y'],
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
  // Through functions, and inside their results.
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
  // A part of a value that is a keyword although the whole is not.
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
  ["'4{{.x}}'", { x: 'door sedan' }, "'4door sedan'"],
  ['x{{.x}}', { x: 'e0or true' }, 'xe0or true'],
  ['1 {{.x}}', { x: 'e0or true' }, '1 e0or true'],
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
  // A letter before a quote is text inside a literal, and part of a longer word.
  ["'{{.x}}'", { x: 'b' }, "'b'"],
  ["'{{.x}}'", { x: 'plan b' }, "'plan b'"],
  ["E'{{.x}}'", { x: 'e' }, "E'e'"],
  ["'a{{.e}}' || E'{{.x}}'", { e: '', x: 'x' }, "'a' || E'x'"],
  ["$t${{.x}}'$t$", { x: 'e' }, "$t$e'$t$"],
  ["-- {{.x}}'\n", { x: 'e' }, "-- e'\n"],
  ["/* {{.x}}' */", { x: 'e' }, "/* e' */"],
  ['{{.x}}"a"', { x: 'e' }, 'e"a"'],
  ["{{.x}} 'a'", { x: 'e' }, "e 'a'"],
  ["{{.x}}'a'", { x: 'date' }, "date'a'"],
  ["a{{.x}}'a'", { x: 'e' }, "ae'a'"],
  ["{{.x}}{{.y}}'a'", { x: 'd', y: 'e' }, "de'a'"],
  ["é{{.x}}'a'", { x: 'e' }, "ée'a'"],
  ["{{.x}}&'a'", { x: 'au' }, "au&'a'"],
  ['{{.x}}&a', { x: 'u' }, 'u&a'],
  ['{{printf "E\'%s\'" .x}}', { x: 'a' }, "E'a'"],
  ["{{printf \"'%s', '%s'\" .x .y}}", { x: 'e', y: 'plan b' }, "'e', 'plan b'"],
  ["('{{printf \"%s','%s\" .x .y}}')", { x: 'e', y: 'b' }, "('e','b')"],
  ['{{inFormat "x"}}', { x: ['e', 'plan b'] }, "('e', 'plan b')"],
  ['/*{{.x}}*/', { x: 'a' }, '/*a*/'],
];

t.test('accepted', (t) => {
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
