/**
 * The proof needs no right but to connect: it is the same for a role that may only read, behind PgBouncer and on a standby.
 * Missing privileges are found where statements can be analysed.
 */
import { chownSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Report } from '#app/cli/report.js';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { makeFolder, run } from './program.js';

const server = await startOwnPostgres(t, {
  setup: `${readFileSync('examples/database.sql', 'utf8')};
    CREATE ROLE reader LOGIN PASSWORD 'secret';
    ALTER ROLE reader SET default_transaction_read_only = on;
    REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC`,
});
const folder = makeFolder(t);
cpSync('examples/queries', join(folder, 'queries'), { recursive: true });
const broken = 'UPDATE products SET {{if isSet "a"}}stock = 1,{{end}} price = 2,';
writeFileSync(join(folder, 'queries/products/broken.update.sql'), broken);

async function proof(url: string): Promise<unknown> {
  const { stdout } = await run(folder, ['check', '--json'], { DATABASE_URL: url });
  const { proof } = JSON.parse(stdout) as Report;
  return proof;
}

const expected = await proof(server.url);

t.test('as a superuser', (t) => {
  t.match(expected, { ok: false, open: 0, broken: 1, unproved: 0, errors: [], warnings: [] });
  t.end();
});

t.test('as a role that may only read, and has no right on any table', async (t) => {
  const url = new URL(server.url);
  [url.username, url.password] = ['reader', 'secret'];
  t.strictSame(await proof(url.href), expected);
});

t.test('a role with no right on any table, where statements can be analysed', async (t) => {
  await server.sql('GRANT TEMPORARY ON DATABASE postgres TO reader');
  const url = new URL(server.url);
  [url.username, url.password] = ['reader', 'secret'];
  const { scripts } = (await proof(url.href)) as { scripts: { findings: { code: string }[] }[] };
  const codes = new Set(scripts.flatMap(({ findings }) => findings.map(({ code }) => code)));
  t.strictSame([...codes].sort(), ['42501', '42601']);
});

t.test('behind PgBouncer', { skip: pgbouncerVersion() ? false : 'not installed' }, async (t) => {
  const user = { name: 'postgres', password: server.password };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 1']);
  const url = new URL(server.url);
  url.port = String(pooler.port);
  t.strictSame(await proof(url.href), expected);
});

t.test('on a standby', async (t) => {
  const file = join(server.dataDir, 'standby.signal');
  writeFileSync(file, '');
  const { uid, gid } = statSync(server.dataDir);
  chownSync(file, uid, gid);
  await server.restart();
  t.strictSame(await server.sql('SELECT pg_is_in_recovery() AS standby'), [{ standby: true }]);
  t.strictSame(await proof(server.url), expected);
});
