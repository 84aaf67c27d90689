/** A PostgreSQL older than supported is named: by `check` as an error, and once in the log of each HTTP process. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { makeFolder, run } from '../commands/program.js';
import { startOlder } from '../support/older-postgres.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const MESSAGE = 'PostgreSQL 12.9 is not supported: the oldest supported version is 13';

const postgres = await startPostgres(t);
const database = await startOlder(t, postgres);

t.test('check', async (t) => {
  const { code, stdout } = await run(makeFolder(t), ['check'], { DATABASE_URL: database });
  t.equal(code, 1);
  t.match(stdout, `\ndatabase postgres not ok\n  error: ${MESSAGE}\n`);
});

t.test('the log', async (t) => {
  const config = { 'http.processes': 1 };
  const service = await startService(t, {
    database,
    scripts: { 'a/b.read.sql': 'SELECT 1' },
    config,
  });
  const line = await service.line(({ msg }) => msg === MESSAGE);
  t.match(line, { level: 50, alias: 'postgres' });
  t.equal((await service.ask('a/b')).status, 200);
  await sleep(5_000); // two more probes
  t.equal(service.lines.filter(({ msg }) => msg === MESSAGE).length, 1);
});
