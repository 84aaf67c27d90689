/** Signals to `serve` before it serves, and after a reload that failed. */
import { once } from 'node:events';
import net from 'node:net';
import t, { type Test } from 'tap';
import { until } from '../support/until.js';
import { Service } from '../support/service.js';

/** A database that takes connections and says nothing, until it is closed. */
class MuteDatabase {
  readonly sockets = new Set<net.Socket>();
  readonly #server = net.createServer((socket) => {
    this.sockets.add(socket.on('error', () => undefined));
  });

  static async start(t: Pick<Test, 'teardown'>): Promise<MuteDatabase> {
    const made = new MuteDatabase();
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => made.close());
    return made;
  }

  get url(): string {
    return `postgres://u:p@127.0.0.1:${(this.#server.address() as net.AddressInfo).port}/d`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

const STORED = { 'queries.storage': 'database', 'log.level': 'info' };

t.test('SIGHUP while stored scripts are prepared: a reload follows the start', async (t) => {
  const database = await MuteDatabase.start(t);
  const service = new Service(t, { database: database.url, config: STORED });
  await until(() => database.sockets.size > 0);
  service.signal('SIGHUP');
  database.close();
  await service.line('reloaded');
  const started = service.lines.map(({ msg }) => msg);
  t.ok(started.indexOf('listening') < started.indexOf('reloaded'));
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});

t.test('SIGTERM while stored scripts are prepared', async (t) => {
  const database = await MuteDatabase.start(t);
  const service = new Service(t, { database: database.url, config: STORED });
  await until(() => database.sockets.size > 0);
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.notOk(service.lines.some(({ msg }) => msg === 'listening'));
});

t.test('a reload that fails leaves the level of the log', async (t) => {
  const taken = net.createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as net.AddressInfo;
  const database = 'postgres://u:p@127.0.0.1:1/d';
  const service = new Service(t, { database, config: { 'log.level': 'info' } });
  await service.listening();
  service.configure({ 'log.level': 'error', 'http.port': port });
  service.signal('SIGHUP');
  await service.line('not reloaded');
  service.configure({ 'log.level': 'info' });
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
  t.ok(service.lines.some(({ msg }) => msg.startsWith('stopping')));
});
