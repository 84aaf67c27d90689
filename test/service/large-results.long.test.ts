/** Single values beyond and near pg.max_result: tens of MiB. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const MIB = 1 << 20;
const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  config: { 'http.processes': 1, 'pool.threads': 1 },
  scripts: {
    'big/rows.read.sql': `SELECT repeat('x', 1000) AS v FROM generate_series(1, {{sqlVal "n"}}::int)`,
    'big/rows.write.sql': `SELECT repeat('x', 1000) AS v FROM generate_series(1, {{sqlVal "n"}}::int)`,
    'big/value.read.sql': `SELECT repeat('x', {{sqlVal "n"}}::int) AS v`,
    'small/one.read.sql': 'SELECT 1 AS n',
  },
});

/** resident is the resident memory of the HTTP process, bytes. */
function resident(): number {
  const [pid = 0] = service.httpProcesses();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

const CASES: readonly (readonly [method: string, target: string])[] = [
  ['GET', `big/value?n=${50 * MIB}`],
];

for (const [method, target] of CASES)
  t.test(`${method} ${target}`, async (t) => {
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
      sizes.push(resident());
    }
    const growth = (sizes.at(-1)! - sizes[1]!) / MIB;
    t.ok(growth < 40, `resident memory grew by ${Math.round(growth)} MiB`);
    t.ok(sizes.at(-1)! < 400 * MIB, `resident ${Math.round(sizes.at(-1)! / MIB)} MiB`);
  });

t.test('just within the limit', async (t) => {
  const { status, text } = await service.ask(`big/value?n=${30 * MIB}`);
  t.equal(status, 200);
  t.equal(text.length, 30 * MIB + '[{"v":""}]'.length);
  for (const mib of [2, 4, 10, 20, 28]) {
    const write = await service.ask(`big/rows?n=${mib * 1024}`, { method: 'POST' });
    t.equal(write.status, 200, `${mib} MiB of rows`);
  }
});
