/** HTTP processes that are stopped by SIGSTOP: one alone is replaced, all together with their supervisor are not. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { alive } from '../../support/process-group.js';
import { until } from '../../support/until.js';
import { ServiceProcess, startService } from './service.js';

t.jobs = 4;
const BESIDE = { buffered: true };
t.setTimeout(200_000);

/** Longer than a process may be silent (milliseconds). */
const LONG = 40_000;

t.test('one of two', BESIDE, async (t) => {
  const { service } = await startService(t);
  const [stopped = 0, other = 0] = service.httpProcesses();
  process.kill(stopped, 'SIGSTOP');
  const line = await service.line('an HTTP process died');
  t.match(line, { pid: stopped, signal: 'SIGKILL', reason: /did not respond/ });
  await until(() => service.httpProcesses().length === 2);
  const now = service.httpProcesses();
  t.ok(now.includes(other) && !now.includes(stopped));
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});

t.test('one that starts', BESIDE, async (t) => {
  const service = new ServiceProcess(t, {});
  const [stopped = 0] = await until(() => {
    const found = service.httpProcesses();
    return found.length > 0 && found;
  });
  process.kill(stopped, 'SIGSTOP');
  // On a busy machine it may have listened before.
  const line = await service.line(({ msg }) => /cannot start|died/.test(msg));
  t.match(line.msg + String(line['reason']), /did not respond/);
});

t.test('one that is drained', BESIDE, async (t) => {
  const { service } = await startService(t);
  const old = service.httpProcesses();
  process.kill(old[0]!, 'SIGSTOP');
  service.signal('SIGHUP');
  await service.line('reloaded');
  service.signal('SIGHUP');
  await service.line('reloaded', 2); // it waits until the old ones have ended
  t.notOk(old.some(alive));
});

t.test('all with the supervisor, as on a machine that sleeps', BESIDE, async (t) => {
  const { service } = await startService(t);
  const before = service.httpProcesses();
  for (let times = 0; times < 2; times++) {
    service.signalGroup('SIGSTOP');
    await sleep(LONG);
    service.signalGroup('SIGCONT');
    await sleep(200);
  }
  await sleep(LONG); // pings in between have answers
  t.same(service.httpProcesses(), before);
  t.notOk(service.lines.some(({ msg }) => msg === 'an HTTP process died'));
});
