/** Parameters that are bound with an enum have its labels as their values. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { documentScripts } from './documented.js';

const LABELS = ['sad', 'it\'s "ok"'];
const CASES: Readonly<Record<string, readonly [sql: string, schema: object]>> = {
  one: ['SELECT {{sqlVal "x"}}::mood AS m', { type: 'string', enum: LABELS }],
  several: ['SELECT 1 AS n WHERE \'sad\'::mood = ANY ({{sqlVal "x"}}::mood[])', { type: 'string' }],
  compared: [
    'SELECT {{if eq .x "none"}}NULL::mood{{else}}{{sqlVal "x"}}::mood{{end}} AS m',
    { type: 'string' },
  ],
  other: ['SELECT {{sqlVal "x"}}::text AS m', { type: 'string' }],
};

const server = await startPostgres(t, {
  setup: `CREATE TYPE mood AS ENUM ('sad', 'it''s "ok"')`,
});
const folder = mkdtempSync(join(tmpdir(), 'enums-'));
t.teardown(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'shop'));
for (const [name, [sql]] of Object.entries(CASES))
  writeFileSync(join(folder, 'shop', `${name}.read.sql`), sql);
const { paths } = await (await documentScripts(t, server, folder)).document();

for (const [name, [sql, schema]] of Object.entries(CASES))
  t.test(sql, (t) => {
    const parameters = paths![`/_QUERIES/shop/${name}`]!['get']!['parameters'] as unknown;
    const x = (parameters as { name: string; schema: object }[]).find((one) => one.name === 'x');
    t.strictSame(x!.schema, schema);
    t.end();
  });
