/** Ports that cannot be opened: the service names the port and the reason, and does not start. */
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { ServiceProcess, startService } from './service.js';

t.test('a second instance on one port', async (t) => {
  const { service, port } = await startService(t);
  await t.test('does not start', async (t) => {
    const second = new ServiceProcess(t, { port });
    t.equal(await second.exited, 1);
    t.match((await second.line('cannot start')).msg, `port ${port} is already in use`);
  });
  t.equal((await sendRaw(port, requestBytes('GET', '/nope'))).status, 404, 'the first serves on');
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  await t.test('starts once the first is gone', async (t) => {
    t.equal((await startService(t, { port })).port, port);
  });
});

t.test('another program on the port', async (t) => {
  const other = net.createServer().listen(0, '127.0.0.1');
  t.teardown(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const service = new ServiceProcess(t, { host, port });
    t.equal(await service.exited, 1, host);
    t.match((await service.line('cannot start')).msg, `port ${port} is already in use on ${host}`);
  }
});

for (const [host, reason] of [
  ['192.0.2.1', 'not an address of this machine'],
  ['nosuch.invalid', 'host name'],
] as const)
  t.test(`host ${host}`, async (t) => {
    const service = new ServiceProcess(t, { host, port: 3000 });
    t.equal(await service.exited, 1);
    const { msg } = await service.line('cannot start');
    t.match(msg, host);
    t.match(msg, reason);
  });

t.test('port 0: all HTTP processes share the one that was picked', async (t) => {
  const { service, port } = await startService(t, {
    httpProcesses: 3,
    accessLog: true,
    worker: { log: { level: 'info', pretty: false } },
  });
  await Promise.all(Array.from({ length: 60 }, () => sendRaw(port, requestBytes('GET', '/nope'))));
  const servedBy = (): Set<unknown> =>
    new Set(
      service.lines.filter(({ msg }) => msg === 'request').map((line) => line['httpProcess']),
    );
  await until(() => servedBy().size === 3);
});
