/**
 * No template hangs its thread, fills its memory or overflows its stack: each of these ends with a template error, soon.
 */
import t from 'tap';
import { checkCases, failure, type Case } from './limit-cases.js';

const nested = (open: string, close: string, n: number, inside = '') =>
  open.repeat(n) + inside + close.repeat(n);

const big = 'x'.repeat(64 * 1024);
let deep: unknown = 1;
for (let i = 0; i < 100_000; i++) deep = [deep];
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const CASES: Case[] = [
  ['nesting of if', /maximum nesting depth \(100\)/, nested('{{if 1}}', '{{end}}', 101)],
  ['nesting of range', /maximum nesting depth/, nested('{{range 1}}', '{{end}}', 50_000)],
  ['nesting of block', /maximum nesting depth/, nested('{{block "a" .}}', '{{end}}', 101)],
  ['nesting of parentheses', /expression depth/, `{{${nested('(', ')', 101, '1')}}}`],
  ['100,000 parentheses', /expression depth/, `{{${nested('(', ')', 100_000, '1')}}}`],
  [
    'parentheses inside of ifs',
    /expression depth/,
    nested('{{if 1}}', '{{end}}', 60, `{{${nested('(', ')', 60, '1')}}}`),
  ],
  ['recursion', /template depth \(1000\)/, '{{define "a"}}{{template "a"}}{{end}}{{template "a"}}'],
  [
    'recursion inside of 99 ifs',
    /template depth \(1000\)/,
    `{{define "a"}}${nested('{{if 1}}', '{{end}}', 99, '{{template "a"}}')}{{end}}{{template "a"}}`,
  ],
  [
    'recursion in two branches',
    /limit of 1000000 steps/,
    '{{define "a"}}{{if .}}{{template "a" (slice . 1)}}{{template "a" (slice . 1)}}{{end}}{{end}}{{template "a" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}',
  ],
  ['range over a huge integer', /limit of 1000000 steps/, '{{range 9223372036854775807}}{{end}}'],
  ['nested ranges', /limit of 1000000 steps/, '{{range 10000}}{{range 10000}}{{end}}{{end}}'],
  ['output', /output exceeds 4 MiB/, '{{range 1000}}{{$.x}}{{end}}', { x: big }],
  [
    'output of characters of three bytes',
    /output exceeds 4 MiB/,
    '{{range 40}}{{$.x}}{{end}}',
    { x: '世'.repeat(40_000) },
  ],
  [
    'a wide printf',
    /result exceeds 4 MiB/,
    `{{printf "${'%1000000d'.repeat(50)}"}}`.replace('"}}', `"${' 1'.repeat(50)}}}`),
  ],
  [
    'a precise printf',
    /result exceeds 4 MiB/,
    `{{printf "${'%.1000000f'.repeat(50)}"${' 1.5'.repeat(50)}}}`,
  ],
  [
    'wide printf in a loop',
    /limit of 1000000 steps/,
    '{{range 10000}}{{$x := printf "%1000000d" 1}}{{end}}',
  ],
  [
    'growing strings',
    /result exceeds 4 MiB/,
    '{{$x := "xxxxxxxxxxxxxxxx"}}{{range 100}}{{$x = print $x $x}}{{end}}',
  ],
  [
    'escaping in a loop',
    /limit of 1000000 steps/,
    '{{range 100000}}{{$y := js $.x}}{{end}}',
    { x: big },
  ],
  [
    'comparing in a loop',
    /limit of 1000000 steps/,
    '{{range 1000000}}{{$y := lt $.x $.y}}{{end}}',
    { x: big, y: `${big}y` },
  ],
  [
    'splitting in a loop',
    /limit of 1000000 steps/,
    '{{range 100000}}{{$y := split $.x ""}}{{end}}',
    { x: big },
  ],
  [
    'parameters',
    /more than 65535 bound values/,
    '{{range 70000}}{{sqlVal "x"}}{{end}}',
    { x: 'a' },
  ],
  [
    'parameters of a list',
    /more than 65535 bound values/,
    '{{range 70}}{{sqlList "x"}}{{end}}',
    { x: Array.from({ length: 1000 }, String) },
  ],
  [
    'large parameters',
    /limit of 1000000 steps/,
    '{{range 60000}}{{sqlVal "x"}}{{end}}',
    { x: big },
  ],
  ['deep data', /nested deeper than 200/, '{{.x}}', { x: deep }],
  ['deep data in a comparison', /nested deeper than 200/, '{{eq .x .x}}', { x: deep }],
  ['data that holds itself', /nested deeper than 200/, '{{.}}', cyclic],
];

await checkCases(t, CASES);

t.test('what stays within the limits', (t) => {
  t.equal(failure(nested('{{if 1}}', '{{end}}', 100, 'a')), 'a');
  t.equal(failure(`{{${nested('(', ')', 100, '1')}}}`), '1');
  t.equal(failure(`{{if 0}}${'{{else if 0}}'.repeat(10_000)}{{else}}a{{end}}`), 'a');
  t.equal(
    failure(
      '{{define "a"}}{{if .}}{{template "a" (slice . 1)}}{{else}}end{{end}}{{end}}{{template "a" .x}}',
      {
        x: 'x'.repeat(998),
      },
    ),
    'end',
  );
  t.equal(failure(`{{len "${'x'.repeat(1_000_000)}"}}`), '1000000');
  t.equal(
    failure(`{{printf "%d" ${'1 '.repeat(100_000)}}}`)
      .toString()
      .slice(0, 3),
    '1%!',
  );
  t.end();
});
