/** What pREST's process was seen to do while it runs: at signals, with few connections, without its database. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { startOwnPostgres } from '../support/postgres.js';
import { startService, type Configuration, type Service } from '../support/service.js';
import { isPending, until } from '../support/until.js';
import { SCRIPTS } from './fixture.js';
import { compareOutcomes } from './recordings.js';

const postgres = await startOwnPostgres(t);

function service(t: Test, config: Configuration = {}): Promise<Service> {
  return startService(t, { database: postgres.url, scripts: SCRIPTS, config });
}

/** statuses asks until each answer has a status that is wanted. */
async function statuses(service: Service, wanted: string): Promise<string> {
  let all: string[] = [];
  await until(async () => {
    all = [];
    for (const target of ['/_health', '/_ready', 'rec/one', '/databases']) {
      const { status } = await service.ask(target);
      all.push(`${target === 'rec/one' ? 'script' : target} ${status}`);
    }
    return all.every((one) => one.endsWith(wanted));
  });
  return all.join(', ');
}

/** sleepers is how many scripts that sleep the database runs. */
async function sleepers(): Promise<number> {
  const running =
    "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND wait_event = 'PgSleep'";
  return (await postgres.sql(running)).length;
}

/** sleeping waits until the database runs one. */
const sleeping = (): Promise<true> => until(async () => (await sleepers()) > 0);

/** opens tells whether a port takes connections. */
async function opens(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(() => true, () => false); // prettier-ignore
  socket.destroy();
  return opened;
}

/** One that lives through the loss of its database. */
const lasting = service(t);

compareOutcomes(t, 'process', {
  'no scripts folder': async (t) => {
    const { folder } = await service(t, { 'queries.location': 'made/here' });
    const { mode } = statSync(path.join(folder, 'made/here'));
    return `made, mode ${(mode & 0o777).toString(8)}`;
  },
  'SIGTERM with a request in flight': async (t) => {
    const serving = await service(t);
    const answer = serving.ask('rec/sleep?s=2');
    await sleeping();
    serving.signal('SIGTERM');
    await until(async () => !(await opens(serving.port)));
    return `new connection refused, request ${(await answer).status}, exit ${await serving.exited}`;
  },
  'SIGTERM with a request longer than the grace': async (t) => {
    const serving = await service(t, { 'http.grace': 0.3 });
    const answer = serving.ask('rec/sleep?s=20').then(({ status }) => status, () => 'unanswered'); // prettier-ignore
    await sleeping();
    serving.signal('SIGTERM');
    return `request ${await answer}, exit ${await serving.exited}`;
  },
  SIGHUP: async (t) => {
    const serving = await service(t);
    serving.signal('SIGHUP');
    const ended = serving.exited.then((code) => `exit ${code}`);
    return Promise.race([ended, serving.line('reloaded').then(({ msg }) => msg)]);
  },
  'two statements for one connection': async (t) => {
    const one = { 'pg.maxopenconn': 1, 'http.processes': 1, 'pool.threads': 1 };
    const serving = await service(t, one);
    const both = Promise.all([1, 2].map(() => serving.error('rec/sleep?s=0.5')));
    let most = 0;
    while (await isPending(both)) most = Math.max(most, await sleepers());
    return `${(await both).join(', ')}, ${most === 1 ? 'one after the other' : `${most} at once`}`;
  },
  'an edited script': async (t) => {
    const serving = await service(t);
    const value = async (): Promise<unknown> =>
      ((await serving.rows('edit/v')) as { v: unknown }[])[0]!.v;
    serving.script('edit/v.read.sql', 'SELECT 1 AS v');
    const before = await value();
    serving.script('edit/v.read.sql', 'SELECT 2 AS v');
    await until(async () => (await value()) !== before);
    return `${String(before)}, then ${String(await value())}`;
  },
  'the database goes away': async () => {
    await statuses(await lasting, '200');
    await postgres.kill();
    return statuses(await lasting, '503');
  },
  'the database comes back': async () => {
    await postgres.restart();
    return statuses(await lasting, '200');
  },
});
