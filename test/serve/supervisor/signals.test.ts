/** Signals to a service: to its supervisor, to the process group, and to single processes. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { alive } from '../../support/process-group.js';
import { HeldRequest, requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { ServiceProcess, startService } from './service.js';
import { ANSWERED, answered, refused, stopTest } from './stop.js';

// signals.long.test.ts has the other two.
stopTest(t, 'SIGTERM', false);
stopTest(t, 'SIGINT', true);

t.test('an idle service does not wait for open connections', async (t) => {
  const { service, port } = await startService(t, { httpProcesses: 1 });
  const idle = Array.from({ length: 5 }, () => net.connect(port, '127.0.0.1').resume());
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  await until(() => idle.every((socket) => socket.readableEnded));
});

t.test('the same signal several times within moments, as timeout(1) sends it', async (t) => {
  const { service, port } = await startService(t, { httpProcesses: 1 });
  const held = await HeldRequest.begin(port);
  service.signal('SIGTERM');
  service.signalGroup('SIGTERM');
  service.signal('SIGINT');
  await sleep(200);
  t.match(await answered(held), ANSWERED);
  t.equal(await service.exited, 0);
});

t.test('a second signal stops at once, and says that requests were cut off', async (t) => {
  const { service, port } = await startService(t, { httpProcesses: 1 });
  const held = await HeldRequest.begin(port);
  service.signal('SIGTERM');
  await service.line('stopping');
  await sleep(700); // signals that follow each other faster count as one
  service.signal('SIGTERM');
  t.equal(await service.exited, 1);
  t.notMatch(await held.closed, /HTTP/);
});

t.test('the end of the grace period: remaining requests get 504', async (t) => {
  // Again when a busy machine gave an HTTP process no time, and it was killed for being overdue.
  const text = await until(async () => {
    const { service, port } = await startService(t, { grace: 400, httpProcesses: 1 });
    const held = await HeldRequest.begin(port);
    service.signal('SIGTERM');
    const text = await held.closed;
    t.equal(await service.exited, 1);
    return !service.output.includes('SIGKILL') && text;
  });
  t.match(text, /^HTTP\/1\.1 504 /);
});

t.test('the supervisor is killed: the HTTP processes finish and exit', async (t) => {
  const { service, port } = await startService(t);
  const httpProcesses = service.httpProcesses();
  const held = await HeldRequest.begin(port);
  service.signal('SIGKILL');
  await refused(port);
  t.match(await answered(held), ANSWERED);
  await until(() => !httpProcesses.some(alive));
  t.equal((await sendRaw(port, requestBytes('GET', '/nope'))).text, '');
});

t.test('an HTTP process leaves signals to the supervisor', async (t) => {
  const { service, port } = await startService(t, { httpProcesses: 1 });
  const [pid = 0] = service.httpProcesses();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal);
  await sleep(200);
  t.equal((await sendRaw(port, requestBytes('GET', '/nope'))).status, 404);
  t.ok(alive(pid));
});

for (const group of [false, true])
  t.test(`a signal to ${group ? 'the group' : 'the supervisor'} while it starts`, async (t) => {
    // Again if this process was so slow that the service had started.
    await until(async () => {
      const service = new ServiceProcess(t, {});
      await until(() => service.httpProcesses().length > 0);
      const httpProcesses = service.httpProcesses();
      if (group) service.signalGroup('SIGINT');
      else service.signal('SIGTERM');
      t.equal(await service.exited, 0);
      t.notOk(httpProcesses.some(alive));
      return !service.lines.some(({ msg }) => msg === 'listening');
    });
  });

t.test('a signal while a reload reads the configuration', async (t) => {
  const { service } = await startService(t, { httpProcesses: 1 });
  // A pipe: its reader waits for a writer.
  const file = path.join(service.folder, 'service.json');
  const text = readFileSync(file);
  rmSync(file);
  execFileSync('mkfifo', [file]);
  service.signal('SIGHUP');
  let pipe = 0;
  await until(() => {
    try {
      pipe = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      // There is no reader yet.
    }
    return pipe !== 0;
  });
  service.signal('SIGTERM');
  await service.line('stopping');
  writeSync(pipe, text);
  closeSync(pipe);
  t.equal(await service.exited, 0);
});
