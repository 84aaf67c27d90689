/** A service with results beyond pg.max_result, and what must come of them. */
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';

export const MIB = 1 << 20;

export async function startLargeResults(t: Test): Promise<Service> {
  const postgres = await startPostgres(t);
  return startService(t, {
    database: postgres.url,
    config: { 'http.processes': 1, 'pool.threads': 1 },
    scripts: {
      'big/rows.read.sql': `SELECT repeat('x', 1000) AS v FROM generate_series(1, {{sqlVal "n"}}::int)`,
      'big/rows.write.sql': `SELECT repeat('x', 1000) AS v FROM generate_series(1, {{sqlVal "n"}}::int)`,
      'big/value.read.sql': `SELECT repeat('x', {{sqlVal "n"}}::int) AS v`,
      'small/one.read.sql': 'SELECT 1 AS n',
    },
  });
}

/** testRefusal tests that a result is refused, and neither memory nor neighbours pay for it. */
export function testRefusal(t: Test, service: Service, method: string, target: string): void {
  void t.test(`${method} ${target}`, async (t) => {
    const sizes: number[] = [];
    for (let i = 0; i < 7; i++) {
      const small = Array.from({ length: 10 }, () => service.error('small/one'));
      const { status, json } = await service.ask(target, { method });
      t.equal(status, 500);
      t.match(json, {
        code: 'result_too_large',
        error: 'result is larger than 33554432 bytes (pg.max_result)',
      });
      t.same(new Set(await Promise.all(small)), new Set(['200']));
      sizes.push(resident(service));
    }
    const growth = (sizes.at(-1)! - sizes[1]!) / MIB;
    t.ok(growth < 40, `resident memory grew by ${Math.round(growth)} MiB`);
    t.ok(sizes.at(-1)! < 400 * MIB, `resident ${Math.round(sizes.at(-1)! / MIB)} MiB`);
  });
}

/** resident is the resident memory of the HTTP process, bytes. */
function resident(service: Service): number {
  const [pid = 0] = service.httpProcesses();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
