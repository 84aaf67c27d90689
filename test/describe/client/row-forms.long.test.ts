/** Rows of several forms: what a call sends chooses the type of its rows, where types can say so. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { documentScripts } from '../openapi/documented.js';
import { startPostgres } from '../../support/postgres.js';
import { clientText, compile } from './compiled.js';

const SCRIPTS: Readonly<Record<string, string>> = {
  'report.read.sql': `{{if eq .by "month"}}SELECT 'May' AS month, 1 AS orders
    {{else if eq .by "city"}}SELECT 'Rome' AS city, 1 AS orders{{else}}SELECT 1 AS id{{end}}`,
  'detail.read.sql': `SELECT 1 AS id{{if isSet "more"}}, 'x' AS note{{end}} WHERE 1 = {{sqlVal "id"}}::int`,
  'listed.read.sql': `SELECT 1 AS id{{if isSet "a"}}, 2 AS a{{end}}{{if isSet "b"}}, 3 AS b{{end}}`,
  'filled.read.sql': `SELECT 1 AS id{{if .note}}, 'x' AS note{{end}}`,
  'header.read.sql': `SELECT 1 AS id{{if index .header "X-More"}}, 2 AS more{{end}}`,
  'change.write.sql': `INSERT INTO item VALUES (1){{if isSet "back"}} RETURNING id{{end}}`,
  'both.update.sql': `UPDATE item SET id = 1 RETURNING id{{if isSet "more"}}, 2 AS more{{end}}`,
};

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int)' });
const folder = mkdtempSync(join(tmpdir(), 'forms-'));
t.teardown(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'shop'));
for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(folder, 'shop', name), text);
const documented = await documentScripts(t, server, folder);
const client = clientText(await documented.document());

/** Statements of a caller, and what the compiler says about each: empty when it has the type. */
const CALLS: readonly (readonly [statement: string, problem: string])[] = [
  [
    `const rows: { month: string | null; orders: number }[] = await shop.report.read({ by: 'month' });`,
    '',
  ],
  [`const rows: { city: string | null }[] = await shop.report.read({ by: 'city' });`, ''],
  [
    `const rows: { city: string | null }[] = await shop.report.read({ by: 'month' });`,
    "Property 'city' is missing",
  ],
  [
    `const rows: { id: number }[] = await shop.report.read({ by: 'other' });`,
    "Property 'id' is missing",
  ],
  [
    `const [row] = await shop.report.read({ by: 'other' }); if (row && 'id' in row) row.id.toFixed();`,
    '',
  ],
  [
    `const rows: { id: number; note: string | null }[] = await shop.detail.read({ id: 1, more: '1' });`,
    '',
  ],
  [
    `const rows: { id: number; note: string | null }[] = await shop.detail.read({ id: 1 });`,
    "Property 'note' is missing",
  ],
  [
    `const more = Math.random() > 0.5 ? 'x' : undefined; const [row] = await shop.detail.read({ id: 1, more }); row?.id.toFixed();`,
    '',
  ],
  [
    `const rows: { id: number; a: number; b: number }[] = await shop.listed.read({ a: 'x', b: 'y' });`,
    '',
  ],
  [`const rows: { id: number; a: number }[] = await shop.listed.read({ a: 'x' });`, ''],
  [`const rows: { id: number }[] = await shop.listed.read();`, ''],
  [
    `const rows: { note: string }[] = await shop.filled.read({ note: '' });`,
    "Property 'note' is missing",
  ],
  [
    `const { rows } = await shop.both.update({ more: '1' }); const more: number | undefined = rows?.[0]?.more;`,
    '',
  ],
  [
    `const { rows } = await shop.both.update(); const more: number | undefined = rows?.[0]?.more;`,
    "Property 'more' does not exist",
  ],
];

t.test('types', (t) => {
  const program = CALLS.map(
    ([statement], i) => `export async function call${i}() { ${statement} }`,
  );
  const head = `import { createClient } from './client.mjs'; const { shop } = createClient({ baseUrl: '' });`;
  const { problems } = compile(t, {
    'client.mts': client,
    'program.mts': [head, ...program].join('\n'),
  });
  t.strictSame(
    problems.filter((one) => one.startsWith('client.mts')),
    [],
  );
  for (const [i, [statement, wanted]] of CALLS.entries()) {
    const found = problems
      .filter((one) => one.startsWith(`program.mts:${i + 2} `) && !one.includes('never read'))
      .join();
    if (wanted === '') t.equal(found, '', statement);
    else t.match(found, wanted, statement);
  }
  t.end();
});

t.test('rows that nothing tells apart have one signature', (t) => {
  for (const script of ['filled', 'header']) {
    const [, part] = client.split(`readonly ${script}: {`);
    t.equal(part!.split('};')[0]!.match(/read\(/g)!.length, 1, script);
  }
  t.end();
});
