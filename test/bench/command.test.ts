/**
 * The benchmark as a command: what it refuses, and a short run from PostgreSQL to the file of samples.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';

const MAIN = path.join(import.meta.dirname, '../../bench/main.js');

t.setTimeout(120_000);

const REFUSED: [string[], RegExp][] = [
  [['--case', 'one'], /Unknown option '--case'/],
  [['--cases', 'none'], /no case is named none/],
  [['--servers', 'nginx'], /no server is named nginx/],
  [['--rounds', '0'], /--rounds must be a whole number above 0, not 0/],
  [['--concurrency', '8,many'], /--concurrency must be a whole number above 0, not many/],
  [['--layouts', '2'], /--layouts must be like 2x3, not 2/],
  [['--layouts', '1x1,2x3', '--pool', '10'], /--pool must be a multiple of the threads of 2x3/],
];

for (const [args, message] of REFUSED) {
  t.test(`refused: ${args.join(' ')}`, (t) => {
    const { status, stderr } = bench(args);
    t.equal(status, 2);
    t.match(stderr, message);
    t.end();
  });
}

const NO_BASE: [string, RegExp][] = [
  ['no-such-revision', /\bgit\b/],
  ['./no-such-folder', /no-such-folder cannot be built/],
];

for (const [base, message] of NO_BASE) {
  t.test(`nothing to compare with: ${base}`, (t) => {
    const { status, stderr } = bench(['--base', base]);
    t.equal(status, 1);
    t.match(stderr, message);
    t.end();
  });
}

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

function bench(args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 120_000 });
}
