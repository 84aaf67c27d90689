/** `check` names replicas that do not answer, and looks for the primary among all servers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t);
const folder = makeFolder(t);
mkdirSync(join(folder, 'queries', 'one'), { recursive: true });
writeFileSync(join(folder, 'queries', 'one', 'one.read.sql'), '-- @primary\nSELECT 1 AS n');

const AWAY = 'postgres://postgres:secret@127.0.0.1:1/postgres';

async function check(DATABASE_URL: string, SERVICE_PG_REPLICAS: string): Promise<Report> {
  const env = { DATABASE_URL, SERVICE_PG_REPLICAS };
  const { stdout, stderr } = await run(folder, ['check', '--json'], env);
  t.notMatch(stdout + stderr, /secret/);
  return JSON.parse(stdout) as Report;
}

t.test('a replica does not answer', async (t) => {
  const { ok, databases, warnings } = await check(server.url, AWAY);
  t.ok(ok);
  t.match(databases, [{ alias: 'postgres', ok: true }]);
  t.match(
    warnings.filter((warning) => warning.includes('replica')),
    [/^database postgres: the replica 127\.0\.0\.1:1\/postgres: connection to server .* refused/],
  );
});

t.test('the first server does not answer, and another one is the primary', async (t) => {
  const { port, user, password } = server;
  const away = `postgres://${user}:${password}@127.0.0.1:1/postgres`;
  const { ok, databases } = await check(away, `postgres://127.0.0.1:${port}`);
  t.ok(ok);
  t.match(databases, [{ alias: 'postgres', ok: true }]);
});
