/** A request to the registry whose worker dies: it fails, and is not sent again. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createLogger } from '#app/observe/log.js';
import { QueryPool } from '#app/serve/pool/query-pool.js';
import type { RegistryResponse, RegistryRequest } from '#app/messages/tasks.js';
import { ScriptsDdl } from '#app/stored/scripts/ddl.js';
import { TestDatabase } from '../../support/database.js';
import { Gate, GATES } from '../../support/gate.js';
import { databaseSettings, httpProcessSettings } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const MORTAL = fileURLToPath(new URL('./fixtures/mortal-worker.js', import.meta.url));
const TABLE = { schema: 'public', table: 'service_queries' };

const PUT: RegistryRequest = {
  method: 'PUT',
  database: undefined,
  script: { location: 'a', name: 'b' },
  query: '',
  body: new TextEncoder().encode('{"read_sql":"SELECT 1"}'),
  ifMatch: '',
  ifNoneMatch: '',
  user: 'ann',
  requestId: 'r1',
};

const server = await startPostgres(t, { setup: GATES });
await new ScriptsDdl(TABLE, new TestDatabase(t, server, { connections: 1 }).database).make();
const folder = t.testdir();
const silent = { level: 'silent', pretty: false };
const { worker } = httpProcessSettings({
  worker: {
    databases: [databaseSettings('main', server)],
    scripts: folder,
    scriptsTable: TABLE,
    log: silent,
  },
});
const results = { answered: () => undefined, died: () => undefined };
const log = createLogger(silent, {});
const pool = new QueryPool({ threads: 1, worker, results, log, filename: MORTAL });
const alive = setInterval(() => undefined, 1_000);
t.teardown(() => {
  clearInterval(alive);
  return pool.close();
});

/** Asks until there is a worker. */
function ask(request: RegistryRequest): Promise<RegistryResponse> {
  return until(() => pool.ask('registry', request).catch(() => undefined));
}

t.test('it dies over a change', async (t) => {
  t.equal((await ask({ ...PUT, method: 'GET' })).status, 404);
  const gate = new Gate(server, 'lock');
  const held = server.sql(`BEGIN; LOCK service_queries; ${gate.sql}; COMMIT`);
  await server.sql(`DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock'
    AND relation = 'service_queries'::regclass) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`);
  const waiting = t.rejects(pool.ask('registry', PUT), { code: 'worker_lost', status: 502 });
  writeFileSync(path.join(folder, 'die'), '');
  await waiting;
  await gate.open();
  await held;
  await ask({ ...PUT, method: 'GET', query: 'history' });
  const [row] = await server.sql<{ n: number }>(
    'SELECT count(*)::int AS n FROM service_queries_history',
  );
  t.ok(row!.n <= 1, 'once at most');
});

t.test('its replacement answers', async (t) => {
  const { status, body } = await ask(PUT);
  t.ok([200, 201].includes(status));
  t.match(JSON.parse(body), { location: 'a', name: 'b', read_sql: 'SELECT 1' });
});
