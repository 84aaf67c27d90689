/** Which texts get a warning, of which line, and what to write instead. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { compileText } from '#app/script/script-text.js';
import { textWarnings } from '#app/script/warnings/text-warnings.js';
import type { Verb } from '#app/script/verb.js';

function warnings(text: string, verb: Verb = 'read'): string[] {
  const compiled = compileText(text, 'a/b', verb);
  if (compiled instanceof ServiceError) throw compiled;
  return textWarnings(compiled).map(({ line, message }) => `${line ?? '-'} ${message}`);
}

const SUFFIX = 'does not run in a read script: use the suffix';
const quoted = (call: string): string =>
  `{{${call}}} is in quotes, where it is plain text: write '%' || {{${call}}} || '%', not '%{{${call}}}%'`;
const constant = (clause: string, call: string): string =>
  `${clause} {{${call}}} has no effect, because a bound value is a constant there: write {{ident …}} for the name of a column`;
const byValue = (name: string, path: string): string =>
  `${name} takes the name of a parameter, and .${path} is the value of one: write {{${name} "${path}"}}`;
const header = (name: string, canonical: string): string =>
  `no request has a header of the name "${name}", because names are canonical here: write "${canonical}"`;

/** A text, and its warnings with their lines. */
const CASES: readonly [text: string, ...warnings: string[]][] = [
  // A value where a name is meant.
  ['SELECT {{sqlVal .id}}', `1 ${byValue('sqlVal', 'id')}`],
  ['SELECT 1\nWHERE a IN {{sqlList .ids}}', `2 ${byValue('sqlList', 'ids')}`],
  ['SELECT {{sqlVal $.id}}', `1 ${byValue('sqlVal', 'id')}`],
  ['SELECT {{sqlVal (index . "id")}}', `1 ${byValue('sqlVal', 'id')}`],
  ['SELECT {{.id | sqlVal}}', `1 ${byValue('sqlVal', 'id')}`],
  ['{{if isSet .id}}{{end}}SELECT 1', `1 ${byValue('isSet', 'id')}`],
  ['SELECT 1{{range .a}}{{if isSet .b}}{{end}}{{end}}', `1 ${byValue('isSet', 'b')}`],
  ['{{define "x"}}\n{{sqlVal .id}}{{end}}SELECT 1', `2 ${byValue('sqlVal', 'id')}`],
  ['SELECT {{printf "%s" (sqlVal .id)}}', `1 ${byValue('sqlVal', 'id')}`],
  ['SELECT {{range .names}}{{sqlVal .}}{{end}}'],
  ['SELECT {{range $k := split "a,b" ","}}{{sqlVal $k}}{{end}}'],
  ['SELECT {{sqlVal (printf "f_%s" .lang)}}'],
  ['SELECT {{sqlVal "id"}} {{"id" | sqlVal}} {{split .id ","}}'],

  // Names of headers.
  ['SELECT \'{{index .header "X-Request-ID"}}\'', `1 ${header('X-Request-ID', 'X-Request-Id')}`],
  ['SELECT \'{{index $.header "accept"}}\'', `1 ${header('accept', 'Accept')}`],
  ["SELECT '{{.header.accept}}'", `1 ${header('accept', 'Accept')}`],
  ['SELECT {{sqlVal "header.user-agent"}}', `1 ${header('user-agent', 'User-Agent')}`],
  ['{{if eq .header.accept "x"}}{{end}}SELECT 1', `1 ${header('accept', 'Accept')}`],
  ['SELECT \'{{index .header "Accept"}} {{.header.Accept}}\', {{sqlVal "header.User-Agent"}}'],
  ['SELECT {{index .map "accept"}}'],

  // In quotes and comments.
  ['SELECT 1\nWHERE a LIKE \'%{{sqlVal "q"}}%\'', `2 ${quoted('sqlVal "q"')}`],
  ['SELECT E\'{{sqlVal "q"}}\'', `1 ${quoted('sqlVal "q"')}`],
  ['SELECT $x${{sqlVal "q"}}$x$', `1 ${quoted('sqlVal "q"')}`],
  ['SELECT \'{ {{sqlList "q"}} }\'', `1 ${quoted('sqlList "q"')}`],
  ['SELECT \'{{if isSet "q"}}{{sqlVal "q"}}{{end}}\'', `1 ${quoted('sqlVal "q"')}`],
  [
    'SELECT "{{sqlVal "q"}}"',
    '1 {{sqlVal "q"}} is in a quoted name, where it is plain text: write {{ident …}}, without quotes',
  ],
  [
    'SELECT 1 -- {{sqlVal "q"}}',
    '1 {{sqlVal "q"}} is in a comment, where it is plain text: comment it out with {{/* … */}}',
  ],
  [
    'SELECT 1 /* x {{sqlVal "q"}} */',
    '1 {{sqlVal "q"}} is in a comment, where it is plain text: comment it out with {{/* … */}}',
  ],
  ["SELECT '%' || {{sqlVal \"q\"}} || '%' -- it's\n, {{sqlVal \"q\"}}"],
  ["SELECT '{{.q}}' -- {{.q}}"],
  ['{{$v := sqlVal "q"}}SELECT \'a\', {{$v}}'],

  // Constants in ORDER BY and GROUP BY.
  ['SELECT 1 ORDER BY {{sqlVal "by"}}', `1 ${constant('ORDER BY', 'sqlVal "by"')}`],
  ['SELECT 1\norder by\n {{sqlVal "by"}} DESC', `3 ${constant('ORDER BY', 'sqlVal "by"')}`],
  ['SELECT 1 ORDER BY a, {{sqlVal "by"}} LIMIT 1', `1 ${constant('ORDER BY', 'sqlVal "by"')}`],
  ['SELECT 1 GROUP BY {{sqlVal "by"}}, b', `1 ${constant('GROUP BY', 'sqlVal "by"')}`],
  [
    'SELECT (SELECT 1 ORDER BY {{sqlVal "by"}}) FROM x GROUP BY a, {{"by" | sqlVal}}',
    `1 ${constant('ORDER BY', 'sqlVal "by"')}`,
    `1 ${constant('GROUP BY', '"by" | sqlVal')}`,
  ],
  ['SELECT 1 ORDER BY {{ident "by"}}, similarity(a, {{sqlVal "q"}}), a <-> {{sqlVal "q"}}'],
  ['SELECT 1 ORDER BY CASE {{sqlVal "by"}} WHEN 1 THEN a END, {{sqlVal "q"}}::vector <-> b'],
  ['SELECT 1 ORDER BY a LIMIT {{sqlVal "n"}} OFFSET {{sqlVal "m"}}'],
  ['SELECT f(a ORDER BY b), {{sqlVal "x"}} FROM t WHERE x IN (1, {{sqlVal "y"}})'],

  // Reads that write.
  ['INSERT INTO x VALUES (1)', `- INSERT ${SUFFIX} .write.sql`],
  ['-- adds\n  update x SET a = 1', `- UPDATE ${SUFFIX} .update.sql`],
  ['/* a */ DELETE FROM x', `- DELETE ${SUFFIX} .delete.sql`],
  ['MERGE INTO x USING y ON true WHEN MATCHED THEN DELETE', `- MERGE ${SUFFIX} .write.sql`],
  ['WITH a AS (SELECT 1) INSERT INTO x SELECT * FROM a', `- INSERT ${SUFFIX} .write.sql`],
  [
    'WITH RECURSIVE a (n) AS MATERIALIZED (SELECT (1)), b AS (SELECT 2) DELETE FROM x',
    `- DELETE ${SUFFIX} .delete.sql`,
  ],
  ['WITH a AS (UPDATE x SET a = 1 RETURNING *) SELECT * FROM a', `- UPDATE ${SUFFIX} .update.sql`],
  ['{{if isSet "a"}}INSERT INTO x VALUES (1){{end}}', `- INSERT ${SUFFIX} .write.sql`],
  ['WITH a AS (SELECT 1) SELECT * FROM a WHERE x IN (SELECT "insert" FROM b)'],
  ["SELECT 'INSERT', update FROM delete"],
  ['{{.verb}} INSERT'],
  ['SELECT 1'],
  ['{{define "x"}}INSERT INTO x VALUES (1){{end}}SELECT 1'],
];

for (const [text, ...expected] of CASES)
  t.test(text, (t) => {
    t.same(warnings(text), expected);
    t.end();
  });

t.test('only reads may not write', (t) => {
  t.same(warnings('INSERT INTO x VALUES (1)', 'write'), []);
  t.same(warnings('DELETE FROM x', 'delete'), []);
  t.end();
});

t.test('a limited number, of a text that is full of them', (t) => {
  const text = Array.from({ length: 40_000 }, (_, i) => `{{sqlVal .a${i}}}`).join(',');
  t.equal(warnings(`SELECT ${text}`).length, 20);
  t.end();
});

t.test('each once', (t) => {
  t.equal(warnings('SELECT {{sqlVal .a}}, {{sqlVal .a}}\n, {{sqlVal .a}}').length, 2);
  t.end();
});
