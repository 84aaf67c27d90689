/** SIGHUP: new front ends take over with the configuration as it is now, and nobody notices. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { HeldRequest, alive, soon, startService } from './service.js';

const status = async (port: number, target: string): Promise<number> =>
  (await sendRaw(port, requestBytes('GET', target))).status;

t.test('the new configuration serves, what was in flight is finished by the old', async (t) => {
  const { service, port } = await startService(t);
  const old = service.frontEnds();
  t.equal(await status(port, '/api/_health'), 404);
  const held = await HeldRequest.begin(port);
  service.configure({ context: '/api', frontEnds: 3 });
  service.signal('SIGHUP');
  await service.line('reloaded');
  t.equal(await status(port, '/api/_health'), 503);
  held.finish();
  t.match(await held.closed, /^HTTP\/1\.1 404 /);
  await soon('the end of the old ones', () => !old.some(alive) || undefined);
  t.equal(service.frontEnds().length, 3);
});

t.test('under load no request fails', async (t) => {
  const { service, port } = await startService(t);
  const load = new Load(port, 8);
  for (let i = 1; i <= 3; i++) {
    service.signal('SIGHUP');
    await service.line('reloaded', i);
    await sleep(400);
  }
  await sleep(800);
  await load.stop();
  t.same(load.failures, []);
  t.ok(load.answers > 500, `${load.answers} answers`);
});

const BAD: Readonly<Record<string, (service: Configurable) => void>> = {
  'no front ends': (service) => service.configure({ frontEnds: 0 }),
  'an address that is not ours': (service) => service.configure({ host: '192.0.2.1', port: 3000 }),
};

interface Configurable {
  configure(options: { frontEnds?: number; host?: string; port?: number }): void;
}

for (const [name, configure] of Object.entries(BAD))
  t.test(`a configuration with ${name} leaves the old one in place`, async (t) => {
    const { service, port } = await startService(t);
    const before = service.frontEnds();
    configure(service);
    service.signal('SIGHUP');
    await service.line('not reloaded');
    t.equal(await status(port, '/nope'), 404);
    t.same(service.frontEnds(), before);
  });

t.test('two at once, then stop', async (t) => {
  const { service } = await startService(t);
  service.signal('SIGHUP');
  await sleep(20);
  service.signal('SIGHUP');
  await service.line('reloaded', 2);
  service.signal('SIGHUP');
  await sleep(20);
  service.signal('SIGTERM');
  t.equal(await service.exited, 0);
});

/** Clients that ask one thing after another over connections they keep. */
class Load {
  answers = 0;
  readonly failures: string[] = [];
  #running = true;
  readonly #clients: Promise<void>[];

  constructor(port: number, clients: number) {
    this.#clients = Array.from({ length: clients }, () => this.#run(port));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #run(port: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (this.#running)
      await new Promise<void>((resolve) => {
        get({ port, host: '127.0.0.1', path: '/nope', agent }, (response) => {
          if (response.statusCode === 404) this.answers++;
          else this.failures.push(String(response.statusCode));
          response.resume().once('end', resolve);
        }).once('error', (error) => {
          this.failures.push(String(error));
          resolve();
        });
      });
    agent.destroy();
  }
}
