/** A service that is sent hostile values in interpolated places, and the memory that every backend keeps after them. */
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { startPostgres, type Postgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';

/** Most that a backend may keep, bytes. */
const LIMIT = 64 << 20;

const SETUP = 'CREATE TABLE item (a int, s smallint, n numeric); INSERT INTO item VALUES (1, 1, 1)';

function start(t: Test, postgres: Postgres): Promise<Service> {
  return startService(t, {
    database: postgres.url,
    // Without the prover, which would have one of the connections.
    config: {
      'http.processes': 1,
      'pool.threads': 1,
      'pg.maxopenconn': 3,
      'queries.proof': 'off',
      // On a busy machine 20 statements of 64 KB wait long for each other.
      'pg.conntimeout': 30,
    },
    scripts: {
      's/integer.read.sql': 'SELECT a FROM item WHERE a = a{{.v}}',
      's/numeric.read.sql': 'SELECT a FROM item WHERE n = n{{.v}}',
      's/eight.read.sql': `SELECT a FROM item WHERE ${Array(8).fill('n = n{{.v}}').join(' OR ')}`,
      's/list.read.sql': 'SELECT a FROM item WHERE a IN {{inFormat "v"}}',
      's/rows.write.sql': 'UPDATE item SET a = a WHERE n = n{{.v}}',
    },
  });
}

/** backends is what each backend of the service keeps, bytes. */
async function backends(postgres: Postgres): Promise<number[]> {
  const rows = await postgres.sql<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  return rows.map(({ pid }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
  });
}

/** minus gives values of that many characters, no two of them equal: PostgreSQL keeps more for none. */
export const minus = (column: string, length: number) => (i: number) =>
  `-${i}` + `-${column}`.repeat(length / 2);

export type HostileCase = readonly [
  what: string,
  script: string,
  n: number,
  value: (i: number) => string,
  method?: string,
];

/** testMemory sends the values of each case several times to a service of its own. */
export async function testMemory(t: Test, cases: readonly HostileCase[]): Promise<void> {
  const postgres = await startPostgres(t, { setup: SETUP });
  for (const [what, script, n, value, method = 'GET'] of cases) {
    await t.test(what, async (t) => {
      const service = await start(t, postgres);
      for (let round = 0; round < 2; round++)
        for (let i = 0; i < n; i += 20) {
          const asked = Array.from({ length: 20 }, (_, j) =>
            service.error(`${script}?v=${value(i + j)}`, { method }),
          );
          t.strictSame(new Set(await Promise.all(asked)), new Set(['200']));
        }
      for (const bytes of await backends(postgres)) t.ok(bytes < LIMIT, `${bytes >> 20} MiB`);
    });
  }
}
