/**
 * The proof needs no right but to connect: it is the same for a role that may only read, behind PgBouncer and on a standby.
 * Missing privileges are found where statements can be analysed, and only when they are asked for.
 */
import { chownSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ProofFindings } from '#app/commands/check/proof-report.js';
import type { Report } from '#app/commands/check/report.js';
import { startPgbouncer } from '../../support/pgbouncer.js';
import { startOwnPostgres } from '../../support/postgres.js';
import { without } from '../../support/programs.js';
import { makeFolder, run } from '../program.js';

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

async function proof(url: string, ...flags: string[]): Promise<ProofFindings> {
  const { stdout } = await run(folder, ['check', '--json', ...flags], { DATABASE_URL: url });
  const { proof } = JSON.parse(stdout) as Report;
  return proof!;
}

/** With --privileges where statements cannot be analysed: one warning, and otherwise the same. */
async function notAnalysed(t: Test, url: string): Promise<void> {
  const { warnings, ...rest } = await proof(url, '--privileges');
  t.equal(warnings.length, 1);
  t.match(warnings[0], /^which privileges are missing, .*, is not known on database postgres: /);
  t.match(rest, { proved: expected.proved, open: 0, broken: 1, unproved: 0, errors: [] });
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
  await notAnalysed(t, url.href);
});

t.test('a role with no right on any table, where statements can be analysed', async (t) => {
  await server.sql('GRANT TEMPORARY ON DATABASE postgres TO reader');
  const url = new URL(server.url);
  [url.username, url.password] = ['reader', 'secret'];
  t.strictSame(await proof(url.href), expected);
  const { scripts, warnings } = await proof(url.href, '--privileges');
  t.strictSame(warnings, []);
  const codes = new Set(scripts.flatMap(({ findings }) => findings.map(({ code }) => code)));
  t.strictSame([...codes].sort(), ['42501', '42601']);
});

t.test('behind PgBouncer', { skip: without('pgbouncer') }, async (t) => {
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
  await notAnalysed(t, server.url);
});
