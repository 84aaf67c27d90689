/** The memory that starting took is released once in each process and thread, and again after a reload. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { until } from '../support/until.js';

const { url } = await startPostgres(t);

t.test('each process and thread releases its memory', async (t) => {
  const service = await startService(t, {
    database: url,
    config: { 'log.level': 'debug', 'http.processes': 1, 'pool.threads': 2 },
  });
  const released = (): string[] =>
    service.lines
      .filter(({ msg }) => msg === 'released the memory of the start')
      .map(({ part }) => String(part))
      .sort();
  const all = ['http', 'query', 'query', 'supervisor'];
  await until(() => released().length >= all.length);
  t.same(released(), all);

  process.kill(service.pid, 'SIGHUP');
  await until(() => released().length >= 2 * all.length);
  t.same(released(), [...all, ...all].sort());
});
