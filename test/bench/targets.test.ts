/**
 * The table of targets of a run.
 */
import t from 'tap';
import type { FigureName } from '../../bench/measure/figures.js';
import { targetTable, type Measured } from '../../bench/targets.js';

t.test('targets without a measured case are not listed', (t) => {
  t.equal(targetTable([]), undefined);
  t.equal(targetTable([measured('ten', 32, { service: { rate: 9 } })]), undefined);
  t.equal(targetTable([measured('one', 32, { 'fastify-pg': { rate: 9 } })]), undefined);
  t.end();
});

t.test('met, missed and not measured', (t) => {
  const text = targetTable([
    measured('one', 32, {
      service: { rate: 199, serverCpu: 30, p99: 4 },
      'fastify-pg': { rate: 100 },
      pgbench: { rate: 280 },
      'service-auth': { rate: 180 },
    }),
    measured('interpolated', 32, { service: { serverCpu: 37.6 } }),
    measured('mixed', 32, { service: { rate: 160, p99: 8 } }),
    measured('megabyte', 8, { service: { rate: 81 }, psql: { rate: 100 } }),
    measured('plugin', 256, {
      service: { rate: 20 },
      'service-thread': { rate: 49 },
      'uws-hello': { rate: 100 },
    }),
  ]);
  const cells = text?.split('\n').map((line) => line.trim().split(/ {2,}/));
  t.strictSame(cells?.slice(2), [
    ['one@32 rate over prest', '>= 4', '-', 'not measured'],
    ['one@32 rate over fastify-pg', '>= 2', '1.99', 'missed'],
    ['one@32 rate over pgbench', '>= 0.7', '0.71', 'met'],
    ['one@32 CPU µs', '<= 30', '30', 'met'],
    ['one@32 CPU over rust-actix', '<= 1.05', '-', 'not measured'],
    ['one@32 rate over the best peer', '>= 1', '1.99', 'met'],
    ['one@32 p99 over the best peer', '<= 1.5', '-', 'not measured'],
    ['one@32 CPU over floor', '<= 1.6', '-', 'not measured'],
    ['one@32 authenticated rate over unauthenticated', '>= 0.9', '0.9', 'met'],
    ['interpolated@32 CPU over one@32', '<= 1.25', '1.25', 'missed'],
    ['mixed@32 p99 over one@32', '<= 1.5', '2', 'missed'],
    ['mixed@32 rate over one@32', '>= 0.8', '0.8', 'met'],
    ['megabyte@8 rate over psql', '>= 0.8', '0.81', 'met'],
    ['plugin@256 isolated rate over uws-hello', '>= 0.2', '0.2', 'met'],
    ['plugin@256 in-process rate over uws-hello', '>= 0.5', '0.49', 'missed'],
  ]);
  t.end();
});

t.test('results of some kilobytes, and the peer in Rust', (t) => {
  const page = measured('page', 256, {
    service: { rate: 89, serverCpu: 52 },
    pgbench: { rate: 100 },
    'rust-actix': { serverCpu: 40 },
  });
  const one = (connections: number, serverCpu: number) =>
    measured('one', connections, { service: { serverCpu }, 'rust-actix': { serverCpu: 20 } });
  const text = targetTable([page, one(256, 30), one(32, 24), one(1, 28)]);
  t.match(text, /^one@1 CPU over rust-actix +<= 1.4 +1.4 +met$/m);
  t.match(text, /^one@32 CPU over rust-actix +<= 1.05 +1.2 +missed$/m);
  t.match(text, /^page@256 CPU over one@256 +<= 1.7 +1.73 +missed$/m);
  t.match(text, /^page@256 rate over pgbench +>= 0.9 +0.89 +missed$/m);
  t.match(text, /^page@256 CPU over rust-actix +<= 1.05 +1.3 +missed$/m);
  t.end();
});

t.test('the best peer of the registries, whichever that is', (t) => {
  const table = measured('page', 32, {
    service: { rate: 100, p99: 3 },
    'rust-actix': { rate: 90, p99: 2 },
    bun: { rate: 101, p99: 4 },
    floor: { rate: 200, p99: 1 },
    pgbench: { rate: 300 },
    'service-role': { rate: 400, p99: 1 },
  });
  const text = targetTable([table]);
  t.match(text, /^page@32 rate over the best peer +>= 1 +0.99 +missed$/m);
  t.match(text, /^page@32 p99 over the best peer +<= 1.5 +1.5 +met$/m);
  t.end();
});

t.test('the revision before: only where it took part', (t) => {
  const idle = (name: string, proportional: number) => ({
    name,
    memory: { resident: 99, proportional },
  });
  const now = { serverCpu: 30, p50: 0.36 };
  const before = { serverCpu: 40, p50: 0.4 };
  const tables = (all: Parameters<typeof measured>[2]) => [
    measured('one', 1, all),
    measured('one', 32, all),
  ];
  const alone = targetTable(tables({ service: now }), [idle('service', 50)]);
  t.notMatch(alone, /service before/);
  const text = targetTable(tables({ service: now, 'service before': before }), [
    idle('service', 50),
    idle('fastify-pg', 10),
    idle('service before', 70),
  ]);
  t.match(text, /^one@1 CPU over service before +<= 0.75 +0.75 +met$/m);
  t.match(text, /^one@1 p50 over service before +<= 0.9 +0.9 +met$/m);
  t.match(text, /^one@32 CPU over service before +<= 0.85 +0.75 +met$/m);
  t.match(text, /^idle memory \(PSS\) over service before +<= 0.7 +0.71 +missed$/m);
  t.end();
});

t.test('one sample with an error is enough, and a ratio to zero is not measured', (t) => {
  const one = (connections: number, figures: Partial<Record<FigureName, number>>) =>
    measured('one', connections, { service: figures, 'fastify-pg': { p50: 0 } });
  const table = [one(1000, { errors: 0 }), one(1, { p50: 0 })];
  t.match(targetTable(table), /one@1000 errors +<= 0 +0 +met$/);
  t.match(targetTable(table), /one@1 p50 over fastify-pg +<= 1 +- +not measured/);
  const bad = measured('one', 1000, { service: { errors: 0 } }, 3);
  t.match(targetTable([bad]), /one@1000 errors +<= 0 +3 +missed$/);
  t.end();
});

/** measured is a table with these medians; maxima are higher by `more`. */
function measured(
  name: string,
  connections: number,
  servers: Readonly<Record<string, Partial<Record<FigureName, number>>>>,
  more = 0,
): Measured {
  const rows = Object.entries(servers).map(([server, figures]) => {
    const spreads = Object.entries(figures).map(([figure, median]) => [
      figure,
      { median, min: median, max: median + more },
    ]);
    return { name: server, summary: Object.fromEntries(spreads) as Measured['rows'][0]['summary'] };
  });
  return { cell: { case: { name }, connections }, rows };
}
