/** Text of parameters outside string constants and comments of a rendered statement. */
import t from 'tap';
import { compile } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

type Sent = Readonly<Record<string, string | readonly string[]>>;
type Case = readonly [template: string, sent: Sent, outside: string, missing?: string];

const CASES: Case[] = [
  [
    'SELECT 1 {{sqlVal "a"}} {{sqlList "b"}} {{limitOffset "1" .c}}',
    { a: 'x', b: 'y', c: '5' },
    '',
  ],
  ['ORDER BY {{.a}}', { a: 'name' }, 'a'],
  ['ORDER BY {{.a}}', { a: '' }, 'a'],
  ["WHERE a = '{{.a}}'", { a: 'x' }, ''],
  ["WHERE a = '{{.a}}'", { a: '' }, ''],
  ["WHERE a = {{.a}}'b'", { a: '' }, 'a'],
  ["E'it\\'s {{.a}}' || {{.b}}", { a: 'x', b: 'y' }, 'b'],
  ['$q${{.a}}$q$ {{.b}}', { a: 'x', b: 'y' }, 'b'],
  ["-- it's {{.a}}\n/* {{.a}} */ {{.b}}", { a: 'x', b: 'y' }, 'b'],
  ['-- {{.a}}', { a: '' }, ''],
  ['-- {{.a}}\n{{.b}}', { a: '', b: 'y' }, 'b'],
  ['-- {{.a}}\n{{.b}} 1', { a: '', b: '' }, 'b'],
  ['/* {{.a}} */{{.b}}', { a: '', b: '' }, 'b'],
  ['"{{.a}}"', { a: 'x' }, 'a'],
  ['a IN {{inFormat "a"}}', { a: ['x', 'y'] }, ''],
  ['{{printf "x = \'%s\' ORDER BY %s" .a .b}}', { a: 'x', b: 'y' }, 'b'],
  ['{{printf "%s, %s" .a .b}}', { a: 'x', b: 'y' }, 'a b'],
  ['{{printf "%s = \'%12s\'" .b (print .a "!")}}', { a: 'x', b: 'y' }, 'b'],
  ['{{html .a}} {{js .b}}', { a: 'x', b: 'y' }, 'a b'],
  ['{{range .a}}{{.}}, {{end}}', { a: ['x', 'y'] }, 'a'],
  ['{{range split .a "_"}}{{.}}, {{end}}', { a: 'x_y' }, 'a'],
  ['{{$v := .a}}{{$v}}', { a: 'x' }, 'a'],
  ['{{unEscape .a}}', { a: 'x' }, 'a'],
  ['{{range $k, $v := .}}{{$k}}{{end}}', { a: 'x' }, 'a header'],
  ['SELECT {{ident "a"}}', { a: 't.c' }, 'a'],
  ['{{$n := ident "a"}}SELECT {{$n}}', { a: 'c' }, 'a'],
  ['\'{{ident "a"}}\'::regclass', { a: 'c' }, ''],
  ['{{if eq (ident "a") "b"}}{{end}}SELECT 1', { a: 'c' }, ''],
  // Absent ones.
  ['ORDER BY {{.a}}', {}, '', 'a'],
  ['ORDER BY {{.a}}, {{.b}}', { a: 'x' }, 'a', 'b'],
  ["WHERE a = '{{.a}}'", {}, ''],
  ['-- {{.a}}', {}, ''],
  ['ORDER BY {{print .a}} {{printf "%s" .b}} {{html .c}}', {}, '', 'a b c'],
  ['{{index . "a-b"}}', {}, '', 'a-b'],
  ['{{$v := .a}}{{$v}}', {}, '', 'a'],
  ['{{.header.Accept}} {{index .header "X-Sort"}}', {}, '', 'header.Accept header.X-Sort'],
  ['{{define "d"}}{{.}}{{end}}{{template "d" .a}}', {}, '', 'a'],
  ['{{define "d"}}{{.x}}{{end}}{{template "d" .}}', {}, '', 'x'],
];

t.test('interpolated', (t) => {
  for (const [template, sent, outside, missing] of CASES) {
    const found = compile(template, 't').render(new ScreenedMap(sent)).interpolated();
    t.equal([...found.sent].sort().join(' '), outside, template);
    t.equal(found.missing.join(' '), missing ?? '', template);
    t.equal(found.absent, missing !== undefined, template);
  }
  t.end();
});

t.test('an absent value whose name is not known', (t) => {
  const template = compile('{{range split .a ","}}{{index $ .}}{{end}}', 't');
  const found = template.render(new ScreenedMap({ a: 'b' })).interpolated();
  t.same(found, { sent: [], absent: true, missing: [] });
  t.end();
});

t.test('misplaced placeholders', (t) => {
  const cases: [template: string, place: string | undefined][] = [
    ['SELECT {{sqlVal "a"}}', undefined],
    ['SELECT \'$1\', {{sqlVal "a"}}', undefined],
    ['SELECT 1\n WHERE a LIKE \'%{{sqlVal "a"}}%\'', '2:19'],
    ['SELECT {{sqlVal "a"}} -- {{sqlVal "b"}}', '1:28'],
    ['SELECT /* {{sqlVal "b"}} */ 1', '1:13'],
    ['SELECT $$ {{sqlVal "b"}} $$', '1:13'],
    ['SELECT 1 AS "{{sqlVal "b"}}"', '1:16'],
    ['SELECT \'{{sqlList "a"}}\'', '1:11'],
    ['SELECT {{printf "\'%%%s%%\'" (sqlVal "a")}}', '1:10'],
  ];
  for (const [template, place] of cases) {
    const found = compile(template, 't').render({ a: 'x', b: 'y' }).misplacedPlaceholder();
    t.equal(found && `${found.line}:${found.column}`, place, template);
  }
  t.end();
});
