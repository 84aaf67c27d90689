/** The benchmark as a command: a short run from PostgreSQL to the file of samples. */
import { readFileSync, rmSync } from 'node:fs';
import t from 'tap';
import { bench } from './bench-command.js';

t.setTimeout(120_000);

t.test('a short run', (t) => {
  const servers = ['fastify-pg', 'service-thread', 'uws-hello'];
  const args = ['--quick', '--cases', 'insert,plugin', '--servers', servers.join(',')];
  const layouts = ['--layouts', '2x1', '--pool', '6'];
  const { status, stdout, stderr } = bench([...args, ...layouts, '--concurrency', '32']);
  t.equal(status, 0, stderr);
  t.match(stdout, /^plugin@32 in-process rate over uws-hello +>= 0.5 +[\d.]+ +(met|missed)$/m);
  t.match(stdout, /^service-thread +<= 3000 +\d+ +(met|missed)$/m);
  const file = /^all samples: (.*)$/m.exec(stdout)?.[1];
  t.ok(file, stdout);
  t.teardown(() => rmSync(file!));
  const { tables } = JSON.parse(readFileSync(file!, 'utf8')) as {
    tables: { case: string; rows: { name: string; samples: Record<string, number>[] }[] }[];
  };
  t.strictSame(
    tables.map((table) => [table.case, table.rows.map(({ name }) => name)]),
    [
      ['insert', ['fastify-pg', 'service 2x1']],
      ['plugin', ['service-thread', 'uws-hello', 'service 2x1']],
    ],
  );
  for (const table of tables) {
    const ofDatabase = table.case === 'plugin' ? [] : ['databaseCpu', 'sessionMemory'];
    for (const { samples } of table.rows) {
      t.equal(samples.length, 1);
      t.equal(samples[0]!['errors'], 0);
      for (const name of ['rate', 'serverCpu', 'resident', ...ofDatabase]) {
        t.ok(samples[0]![name]! > 0, name);
      }
      // Whole milliseconds without wrk: 0 is a possible p50.
      t.ok(samples[0]!['p50']! <= samples[0]!['p99']!);
    }
  }
  t.end();
});
