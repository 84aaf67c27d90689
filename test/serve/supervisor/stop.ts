/** How a service stops when it gets a signal. */
import net from 'node:net';
import type { Test } from 'tap';
import { alive } from '../../support/process-group.js';
import { HeldRequest, requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { startService } from './service.js';

/** What the connection of a HeldRequest gets, of which the last response says that it is closed. */
export const ANSWERED = /^HTTP\/1\.1 404 [^]*connection: close\r\n/i;

/** refused waits until a port takes no new connections. */
export async function refused(port: number): Promise<void> {
  await until(async () => (await sendRaw(port, requestBytes('GET', '/nope'))).text === '');
}

/**
 * answered finishes a held request and gives all that its connection got: a response that is ready before the HTTP process
 * is drained leaves the connection open, and the one to its next request closes it.
 */
export async function answered(held: HeldRequest): Promise<string> {
  const { socket } = held;
  held.finish();
  for (let count = 1; ; count++) {
    await until(() => socket.closed || held.text.split('HTTP/1.1 404').length > count);
    if (socket.closed || /connection: close/i.test(held.text)) return held.closed;
    socket.write(requestBytes('GET', '/nope', ['Connection: keep-alive']));
  }
}

/** stopTest makes the test of a signal to the supervisor, or to all processes of a service. */
export function stopTest(t: Test, signal: NodeJS.Signals, group: boolean): void {
  t.test(`${signal} to ${group ? 'the group' : 'the supervisor'}`, async (t) => {
    const { service, port } = await startService(t);
    const httpProcesses = service.httpProcesses();
    t.equal(httpProcesses.length, 2);
    const idle = net.connect(port, '127.0.0.1');
    const held = await HeldRequest.begin(port);
    if (group) service.signalGroup(signal);
    else service.signal(signal);
    await refused(port); // no new connections
    t.match(await answered(held), ANSWERED, 'requests in flight get their responses');
    const status = await service.exited;
    t.equal(status, 0, { output: service.output });
    t.notOk(httpProcesses.some(alive), 'nothing is left');
    idle.destroy();
  });
}
