/** SIGHUP: new HTTP processes serve with the configuration read anew, without a failed request. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Load } from '../../support/load.js';
import { alive, ended } from '../../support/process-group.js';
import { HeldRequest, requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { startService, type ServiceOptions } from './service.js';

const status = async (port: number, target: string): Promise<number> =>
  (await sendRaw(port, requestBytes('GET', target))).status;

/** more waits for that many more responses. */
async function more(load: Load, count: number): Promise<void> {
  const before = load.count(404);
  await until(() => load.count(404) - before >= count);
}

t.test('the new configuration serves, what was in flight is finished by the old', async (t) => {
  const { service, port } = await startService(t);
  const old = service.httpProcesses();
  t.equal(await status(port, '/api/_health'), 404);
  const held = await HeldRequest.begin(port);
  service.configure({ context: '/api', httpProcesses: 3 });
  service.signal('SIGHUP');
  await service.line('reloaded');
  // The sockets of the old ones are being closed: until then one of them may answer, and a connection that waits at one
  // is reset with it.
  await until(async () => (await status(port, '/api/_health')) === 503);
  held.finish();
  t.match(await held.closed, /^HTTP\/1\.1 404 /);
  await ended(old);
  t.equal(service.httpProcesses().length, 3);
  for (let i = 0; i < 20; i++) t.equal(await status(port, '/api/_health'), 503);
});

t.test('under load no request fails', async (t) => {
  const { service, port } = await startService(t);
  const load = new Load(t, { port, clients: 8, wanted: 404, target: () => '/nope' });
  for (let i = 1; i <= 2; i++) {
    service.signal('SIGHUP');
    await service.line('reloaded', i);
    await more(load, 100);
  }
  await load.stop();
  t.same(load.failures, []);
});

t.test('a process that is slow to close its socket resets no client of another', async (t) => {
  const { service, port } = await startService(t);
  const [, slow = 0] = service.httpProcesses();
  const load = new Load(t, { port, clients: 32, wanted: 404, target: () => '/nope' });
  await more(load, 100);
  process.kill(slow, 'SIGSTOP');
  service.signal('SIGHUP');
  await service.line('reloaded');
  await more(load, 50); // the others wait a second for it
  process.kill(slow, 'SIGCONT');
  await until(() => !alive(slow));
  await load.stop();
  t.same(load.failures, []);
});

const BAD: Readonly<Record<string, ServiceOptions>> = {
  'no HTTP processes': { httpProcesses: 0 },
  'an address that is not ours': { host: '192.0.2.1', port: 3000 },
  'HTTP processes that cannot start': { worker: { log: { level: 'nonsense', pretty: false } } },
};

t.test('a configuration that cannot be used leaves the old one in place', async (t) => {
  const { service, port } = await startService(t);
  const before = service.httpProcesses();
  for (const [i, [name, options]] of Object.entries(BAD).entries()) {
    service.configure(options);
    service.signal('SIGHUP');
    await service.line('not reloaded', i + 1);
    t.equal(await status(port, '/nope'), 404, name);
    await until(() => service.httpProcesses().length === 2); // the new ones have ended
    t.same(service.httpProcesses(), before);
  }
  service.signal('SIGTERM');
  t.equal(await service.exited, 0, 'nothing was cut off');
});

t.test('two at once, then stop', async (t) => {
  const { service } = await startService(t);
  const before = service.httpProcesses().length;
  service.signal('SIGHUP');
  // A signal sent while the same one still waits is one with it.
  await until(() => service.httpProcesses().length > before);
  service.signal('SIGHUP');
  await service.line('reloaded', 2);
  service.signal('SIGHUP');
  await sleep(20);
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});
