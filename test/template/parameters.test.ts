/** Parameters found by static analysis of a template. */
import t from 'tap';
import { parametersOf, type Parameter } from '#app/template/parameters.js';
import { isLinear } from '../support/cpu.js';

/** A parameter on one line: `name!` if it is required, then its other properties. */
function inWords(parameter: Parameter): string {
  const { name, required, list, fallback, type, identifier, integer, interpolated, flag, values } =
    parameter;
  const words = [
    required ? `${name}!` : name,
    ...(list ? ['list'] : []),
    ...(fallback === undefined ? [] : [`=${fallback}`]),
    ...(type === undefined ? [] : [`::${type}`]),
    ...(identifier ? ['ident'] : []),
    ...(integer ? ['integer'] : []),
    ...(interpolated ? ['text'] : []),
    ...(flag ? ['flag'] : []),
    ...(values.length === 0 ? [] : [values.join('/')]),
  ];
  return words.join(' ');
}

function told(text: string): string {
  const { list, open } = parametersOf(text, 'shop/x');
  return [...list.map(inWords), ...(open ? ['…'] : [])].join(', ');
}

const cases: [template: string, expected: string][] = [
  // None.
  ['SELECT 1', ''],
  ['', ''],
  ['{{/* .a */}}{{"a"}} {{1}} {{nil | print}}', ''],
  ['{{define "d"}}{{.a}}{{end}}SELECT 1', ''],
  ['{{$x := .a}}SELECT 1', ''],
  // Required.
  ['{{.a}}', 'a! text'],
  ['{{$.a}}', 'a! text'],
  ['{{index . "a-b"}}', 'a-b! text'],
  ['{{"a" | index .}}', 'a! text'],
  ['{{index $ "a"}}', 'a! text'],
  ['{{(index . "a")}}', 'a! text'],
  ['{{.a.b}}', 'a!'],
  ['{{sqlVal "a"}}', 'a!'],
  ['{{"a" | sqlVal}}', 'a!'],
  ['{{sqlVal `a`}}', 'a!'],
  ['{{sqlList "a"}}', 'a! list'],
  ['{{inFormat "a"}}', 'a! list text'],
  ['{{ident "a"}}', 'a! ident'],
  ['{{limitOffset .p .s}}', 'p! integer, s! integer'],
  ['{{split .a ","}}', 'a! text'],
  ['{{range split .a ","}}{{.}}{{end}}', 'a! text'],
  ['{{unEscape .a}}', 'a! text'],
  ['{{.a | unEscape | printf "%s"}}', 'a! text'],
  ['{{len .a}}', 'a!'],
  ['{{lt .a "5"}}', 'a!'],
  ['{{slice .a 1}}', 'a!'],
  ['{{index .a 0}}', 'a! list'],
  ['{{index . "a" 0}}', 'a! list'],
  ['{{$x := .a}}{{$x}}', 'a! text'],
  ['{{$x := "b"}}{{$x = .a}}{{$x}}', 'a! text'],
  ['{{.a}}{{if isSet "a"}}{{.a}}{{end}}', 'a! text'],
  ['IN ({{range .a}}{{.}}{{end}})', 'a! list text'],
  // Optional.
  ['{{if isSet "a"}}{{sqlVal "a"}}{{end}}', 'a'],
  ['{{if "a" | isSet}}{{sqlVal "a"}}{{end}}', 'a'],
  ['{{if .a}}{{.a}}{{end}}', 'a text'],
  ['{{if .a}}x{{else if .b}}{{.b}}{{.a}}{{end}}', 'a text, b text'],
  ['{{if $v := .a}}{{$v}}{{end}}', 'a text'],
  ['{{with .a}}{{.}}{{end}}', 'a text'],
  ['{{with $v := .a}}{{$v}}{{$.b}}{{end}}', 'a text, b text'],
  ['{{with .a}}{{else with .b}}{{.}}{{end}}', 'a flag, b text'],
  ['{{range .a}}{{.}}{{end}}', 'a list text'],
  ['{{range $i, $v := .a}}{{if $i}}, {{end}}{{$v}}{{end}}', 'a list text'],
  ['({{range .a}}{{.}}{{else}}1{{end}})', 'a list text'],
  ['{{if and (isSet "a") (isSet "b")}}{{.a}}{{.b}}{{end}}', 'a text, b text'],
  ['{{if or (isSet "a") (isSet "b")}}{{.a}}{{.b}}{{end}}', 'a text, b text'],
  ['{{if and .a (gt .a "5")}}{{.b}}{{end}}', 'a, b text'],
  ['{{if or (not .a) (gt .a "5")}}1{{end}}', 'a'],
  ['{{if not (isSet "a")}}1{{else}}{{.a}}{{end}}', 'a text'],
  ['{{if not (and .a .b)}}1{{else}}{{.a}}{{.b}}{{end}}', 'a text, b text'],
  ['{{or .a "x"}}', 'a text'],
  ['{{or .a .b "x"}}', 'a text, b text'],
  ['{{and .a}}', 'a! text'],
  ['{{if eq .a "x" "y"}}{{.a}}{{end}}', 'a text x/y'],
  ['{{if eq "x" .a}}{{.a}}{{end}}', 'a text x'],
  ['{{if ne .a "x"}}1{{else}}{{.a}}{{end}}', 'a text x'],
  ['{{if eq .a "x"}}1{{else if eq .a "y"}}2{{end}}', 'a x/y'],
  ['{{if eq .a .b}}1{{end}}', 'a, b'],
  ['{{$x := "b"}}{{if isSet "a"}}{{$x = .a}}{{end}}{{$x}}', 'a text'],
  ['{{if isSet "a"}}{{$x := .a}}{{$x}}{{end}}', 'a text'],
  // Needed on some paths only.
  ['{{if isSet "b"}}{{.a}}{{end}}', 'b flag, a text'],
  ['{{if isSet "a"}}{{else}}{{.a}}{{end}}', 'a text'],
  ['{{if not (isSet "a")}}{{.a}}{{end}}', 'a text'],
  ['{{if isSet "a"}}{{sqlVal "a"}}{{else}}{{sqlVal "b"}}{{end}}', 'a, b'],
  ['{{if .a}}{{.a}}{{else if lt .c "5"}}{{.b}}{{end}}', 'a text, c, b text'],
  ['{{with .a}}{{.}}{{else}}{{.b}}{{end}}', 'a text, b text'],
  ['{{range .a}}{{.}}{{$.b}}{{else}}{{.b}}{{end}}', 'a list text, b text'],
  ['{{if or .a (lt .b "5")}}1{{end}}', 'a flag, b'],
  // Needed on every path.
  ['{{if isSet "a"}}{{.b}}{{else}}{{.b}}1{{end}}', 'a flag, b! text'],
  ['{{if isSet "a"}}{{.b}}{{else if isSet "c"}}1{{else}}{{.b}}{{end}}', 'a flag, b text, c flag'],
  ['{{if isSet "a"}}1{{if isSet "c"}}{{.b}}{{end}}{{else}}{{.b}}{{end}}', 'a flag, c flag, b text'],
  ['{{if isSet "a"}}{{.b}}{{end}}{{.b}}', 'a flag, b! text'],
  ['{{if lt .a "5"}}{{.a}}{{end}}', 'a! text'],
  ['{{if isSet "b"}}1{{else if lt .a "5"}}2{{else}}{{.a}}{{end}}', 'b flag, a text'],
  ['{{or (lt .a "5") (lt .b "5")}}', 'a!, b'],
  // Defaults.
  ['{{defaultOrValue "a" "20"}}', 'a =20 text'],
  ['{{"20" | defaultOrValue "a"}}', 'a =20 text'],
  ['{{$d := defaultOrValue "a" "20"}}{{.a}}{{sqlVal "a"}}', 'a =20 text'],
  ['{{.a}}{{defaultOrValue "a" "20"}}', 'a! text'],
  ['{{defaultOrValue "a" .b}}', 'b!, a text'],
  ['{{if isSet "b"}}{{$d := defaultOrValue "a" "1"}}{{end}}{{.a}}', 'b flag, a! text'],
  [
    '{{if isSet "b"}}{{$d := defaultOrValue "a" "1"}}{{else}}{{$d := defaultOrValue "a" "2"}}{{end}}{{.a}}',
    'b flag, a =1 text',
  ],
  ['{{if not (isSet "a")}}{{$d := defaultOrValue "a" "1"}}{{end}}{{.a}}', 'a =1 text'],
  [
    '{{$d := defaultOrValue "p" "1"}}{{$e := defaultOrValue "s" "5"}}{{limitOffset .p .s}}',
    'p =1 integer, s =5 integer',
  ],
  ['{{if eq (defaultOrValue "a" "x") "y"}}1{{end}}', 'a =x y'],
  // Only its presence matters.
  ['ORDER BY 1 {{if isSet "a"}}DESC{{end}}', 'a flag'],
  ['{{if .a}}1{{end}}', 'a flag'],
  ['{{if not .a}}1{{end}}', 'a flag'],
  ['{{if or .a .b}}1{{end}}', 'a flag, b flag'],
  // The SQL context.
  ['{{sqlVal "a"}}::int', 'a! ::int'],
  ['{{sqlVal "a"}} :: Double Precision', 'a! ::double precision'],
  ['{{sqlVal "a"}}::timestamp with time zone', 'a! ::timestamp with time zone'],
  ['{{sqlVal "a"}}::numeric(10, 2)', 'a! ::numeric(10, 2)'],
  ['{{sqlVal "a"}}::text[]', 'a! list ::text'],
  ['{{.a}}::date', 'a! ::date text'],
  ['CAST( {{sqlVal "a"}} AS int4)', 'a! ::int4'],
  ['{{sqlVal "a"}} AS int4', 'a!'],
  ['= ANY ({{sqlVal "a"}})', 'a! list'],
  ['{{sqlVal "a"}} = ANY (tags)', 'a!'],
  ['LIMIT {{sqlVal "a"}} OFFSET {{sqlVal "b"}}', 'a! ::bigint, b! ::bigint'],
  ['({{sqlVal "a"}}::text IS NULL OR x = {{sqlVal "a"}})', 'a ::text'],
  ['x = coalesce({{sqlVal "a"}}, x)', 'a'],
  ['coalesce(nullif({{sqlVal "a"}}, $$$$), x)', 'a'],
  ['x IS NOT DISTINCT FROM {{sqlVal "a"}}', 'a'],
  // Other templates.
  ['{{define "d"}}{{.a}}{{sqlVal "b"}}{{end}}{{template "d" .}}', 'a! text, b!'],
  ['{{define "d"}}{{.a}}{{sqlVal "b"}}{{end}}{{template "d"}}', 'b!'],
  ['{{define "d"}}{{.}}{{end}}{{template "d" .a}}', 'a! text'],
  ['{{define "d"}}{{.}}{{end}}{{if .a}}{{template "d" .a}}{{end}}', 'a text'],
  ['{{define "d"}}{{$.a}}{{end}}{{with .b}}{{template "d" $}}{{end}}', 'b flag, a text'],
  ['{{block "d" .a}}{{.}}{{end}}', 'a! text'],
  ['{{define "d"}}{{$x := defaultOrValue "a" "1"}}{{end}}{{template "d"}}{{.a}}', 'a =1 text'],
  ['{{define "d"}}{{.a}}{{template "d" .}}{{end}}{{template "d" .}}', 'a! text'],
  ['{{template "none" .}}', ''],
  // Unknown names.
  ['{{sqlVal .a}}', 'a!, …'],
  ['{{index . .a}}', 'a!, …'],
  ['{{.}}', '…'],
  ['{{range $k, $v := .}}{{$k}}{{$v}}{{end}}', '…'],
  // Reserved names, which have no meaning here.
  ['{{index .header "X-A"}}{{sqlVal "claims.sub"}}', 'header! list, claims.sub!'],
  ['{{.__proto__}}{{.constructor}}', '__proto__! text, constructor! text'],
];

t.test('parameters', (t) => {
  for (const [template, expected] of cases) t.equal(told(template), expected, template);
  t.end();
});

t.test('the analysis of endless recursion ends', (t) => {
  const twice = Array.from(
    { length: 60 },
    (_, i) => `{{define "d${i}"}}{{template "d${i + 1}" .}}{{template "d${i + 1}" .}}{{end}}`,
  ).join('');
  t.equal(told(`${twice}{{template "d0" .}}{{.a}}`), '…');
  const deep = Array.from(
    { length: 5_000 },
    (_, i) => `{{define "d${i}"}}{{if .a}}{{template "d${i + 1}" .}}{{end}}{{end}}`,
  ).join('');
  t.equal(told(`${deep}{{template "d0" .}}{{.b}}`), 'a flag, b! text, …');
  t.end();
});

t.test('time is linear in the template', async (t) => {
  const many = (count: number, text: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i)).join('');
  const texts: ((size: number) => string)[] = [
    (size) => `{{if and${many(size, (i) => ` .a${i}`)}}}1{{end}}`,
    (size) => `{{if or${many(size, (i) => ` .a${i}`)}}}1{{end}}`,
    (size) => `{{if .a}}${many(size / 2, (i) => `{{else if not .b${i}}}x`)}{{end}}`,
    (size) => `{{if eq .a${' "x"'.repeat(size * 3)}}}1{{end}}`,
    (size) => `${many(size / 3, (i) => `{{$v${i} := .a}}`)}${'{{$v0}}'.repeat(size)}`,
    (size) => `{{.a${' | print'.repeat(size * 3)}}}`,
  ];
  for (const text of texts)
    await isLinear(t, (size) => parametersOf(text(size), 'shop/x'), 24_000, text(24).slice(0, 20));
});
