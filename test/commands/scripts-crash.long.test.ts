/** An import whose process is killed is applied completely or not at all. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';
import { makeFolder, run, start } from './program.js';

const COUNT = 30;

t.test('killed at several points', async (t) => {
  const server = await startPostgres(t);
  const folder = makeFolder(t);
  const env = { DATABASE_URL: server.url };
  mkdirSync(join(folder, 'queries/f'), { recursive: true });
  for (let i = 0; i < COUNT; i++)
    writeFileSync(join(folder, `queries/f/s${i + 10}.read.sql`), `SELECT ${i}`);
  await run(folder, ['migrate', 'up', 'queries'], env);
  const stored = async (): Promise<number> =>
    (await server.sql('SELECT FROM service_queries')).length;
  const importing = async (): Promise<boolean> => {
    const rows = await server.sql(
      "SELECT FROM pg_stat_activity WHERE query LIKE '%written AS (%' AND state = 'active' AND pid <> pg_backend_pid()",
    );
    return rows.length > 0;
  };

  for (const name of ['s10', 's25', 's39']) {
    await server.sql('TRUNCATE service_queries');
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query(
      `BEGIN; INSERT INTO service_queries (location, name) VALUES ('f', '${name}')`,
    );
    const program = start(folder, ['scripts', 'import'], env);
    await until(importing);
    program.child.kill('SIGKILL');
    t.equal((await program.finished).code, null);
    t.equal(await stored(), 0, 'nothing is seen of it');
    await other.query('ROLLBACK');
    await other.end();
    await until(async () => !(await importing()));
    const count = await stored();
    t.ok(count === 0 || count === COUNT, `${count} scripts`);
    t.match(await run(folder, ['scripts', 'import'], env), { code: 0, stderr: '' });
    t.equal(await stored(), COUNT);
  }
});
