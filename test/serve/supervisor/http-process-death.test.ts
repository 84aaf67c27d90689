/** An HTTP process that dies takes its own connections with it, no others, and is replaced. */
import t from 'tap';
import { alive } from '../../support/process-group.js';
import { HeldRequest, requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { startService } from './service.js';

t.test('other HTTP processes serve on', async (t) => {
  const { service, port } = await startService(t);
  const held = await Promise.all(Array.from({ length: 16 }, () => HeldRequest.begin(port)));
  const [victim = 0, other = 0] = service.httpProcesses();
  process.kill(victim, 'SIGKILL');
  await until(() => !alive(victim));
  for (const request of held) request.finish();
  await until(() => held.every(({ text, socket }) => text !== '' || socket.destroyed));
  for (const request of held) request.socket.end();
  const ends = await Promise.all(held.map(({ closed }) => closed));
  const answered = ends.filter((text) => text.startsWith('HTTP/1.1 404 '));
  t.ok(answered.length > 0 && answered.length < 16, 'some were in the other process');
  t.ok(
    ends.every((text) => text.startsWith('HTTP/1.1 404 ') || !text.includes('HTTP')),
    'the rest was reset',
  );
  await until(() => service.httpProcesses().length === 2);
  const now = service.httpProcesses();
  t.ok(now.includes(other));
  t.notOk(now.includes(victim));
});

t.test('the only one: the port is served again, with growing waits', async (t) => {
  const { service, port } = await startService(t, { httpProcesses: 1 });
  for (let death = 1; death <= 3; death++) {
    const [pid = 0] = service.httpProcesses();
    process.kill(pid, 'SIGKILL');
    const line = await service.line('an HTTP process died', death);
    t.equal(line['wait'], 100 * 2 ** (death - 1));
    t.equal(line['signal'], 'SIGKILL');
    await until(() => service.httpProcesses().length > 0);
    await until(async () => (await sendRaw(port, requestBytes('GET', '/nope'))).status === 404);
  }
});

t.test('the service can be stopped while a process waits to be replaced', async (t) => {
  const { service } = await startService(t, { httpProcesses: 1 });
  for (let death = 1; death <= 4; death++) {
    await until(() => service.httpProcesses().length > 0);
    process.kill(service.httpProcesses()[0]!, 'SIGKILL');
    await service.line('an HTTP process died', death);
  }
  service.signal('SIGTERM'); // within a wait of 800 ms
  t.equal(await service.exited, 0);
});
