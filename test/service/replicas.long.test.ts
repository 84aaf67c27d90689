/** Eight services started at once on one empty database: one table, each script once, and nobody finds fault with it. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { Service } from '../support/service.js';

t.test('eight at once', async (t) => {
  const server = await startPostgres(t);
  const names = Array.from({ length: 12 }, (_, i) => `s${String(i).padStart(2, '0')}`);
  const scripts = Object.fromEntries(
    names.map((name, i) => [`shop/${name}.read.sql`, `SELECT ${i} AS n`]),
  );
  const services = Array.from(
    { length: 8 },
    () =>
      new Service(t, {
        database: server.url,
        scripts,
        config: {
          'queries.storage': 'database',
          'http.host': '127.0.0.1',
          'http.processes': 1,
          'pool.threads': 1,
          'pg.maxopenconn': 2,
        },
      }),
  );
  await Promise.all(services.map((service) => service.listening()));
  const outcomes = services.map((service) =>
    service.lines.find(({ msg }) => msg.startsWith('the scripts table')),
  );
  const made = outcomes.map((line) => Number(line?.['created']));
  t.equal(
    made.reduce((sum, n) => sum + n),
    12,
    'each was made once',
  );
  for (const line of outcomes)
    t.match(line, { updated: 0, skipped: 0, unchanged: 12 - Number(line?.['created']) });
  // On a busy machine the first look at the database may take too long.
  const isSlowLook = (msg: string): boolean => msg.startsWith('the database does not answer');
  for (const service of services)
    t.strictSame(
      service.lines.filter(({ level, msg }) => Number(level) > 30 && !isSlowLook(msg)),
      [],
    );
  t.notMatch(services.map(({ output }) => output).join(''), 'SELECT');
  t.strictSame(
    await server.sql('SELECT name FROM service_queries ORDER BY 1'),
    names.map((name) => ({ name })),
  );
  t.strictSame(
    await server.sql('SELECT name, operation FROM service_queries_history ORDER BY 1'),
    names.map((name) => ({ name, operation: 'insert' })),
  );
});
