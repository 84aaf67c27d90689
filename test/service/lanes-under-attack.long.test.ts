/**
 * Requests of a fast script beside a client that does its worst with slow ones. Slow statements wait at gates, so that a
 * request that stands behind one of them has no answer before its gate opens, however fast or slow the machine is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Gate, GATES } from '../support/gate.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { isPending, until } from '../support/until.js';

const postgres = await startPostgres(t, { setup: GATES });
const [many, turns, turned, burst, flood] = ['many', 'turns', 'turned', 'burst', 'flood'].map(
  (name) => new Gate(postgres, name),
) as [Gate, Gate, Gate, Gate, Gate];
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'fast/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
    'fast/new.read.sql': 'SELECT 2 AS n',
    'slow/many.read.sql': many.sql,
    'slow/flood.read.sql': flood.sql,
    'mixed/turns.read.sql': `SELECT CASE WHEN {{sqlVal "slow"}}::boolean THEN ${turns.call} END AS v`,
    'mixed/turned.read.sql': turned.sql,
    'mixed/burst.read.sql': burst.sql,
  },
  config: {
    'http.processes': 1,
    'pool.threads': 1,
    'pool.queue': 1_000, // half of them may wait
    // More than a burst has requests: on a slow machine each of them may be sent on a connection of its own.
    'pg.maxopenconn': 24,
    'pg.conntimeout': '1h',
    'http.timeout': '1h',
  },
});
const { port } = service;
const CLIENTS = 32;
/** Most requests behind one statement in a shared pipeline (docs/operations.md). */
const BEHIND = 15;
/** Longer than a slow statement may run in a shared pipeline before no others are put behind it, ms. */
const STALLED = 50;

/** Clients that ask the fast script five times each, and what went wrong. */
class FastClients {
  readonly failures: string[] = [];
  running = CLIENTS;
  readonly #clients = Array.from({ length: CLIENTS }, (_, n) => this.#run(n));

  /** end waits until all of them have all their answers. */
  async end(): Promise<void> {
    await Promise.all(this.#clients);
  }

  async #run(n: number): Promise<void> {
    for (let i = 0; i < 5; i++) {
      const { status, text } = await service.ask(`fast/one?n=${n}`);
      if (status !== 200 || text !== `[{"n":${n}}]`) this.failures.push(`${status} ${text}`);
    }
    this.running--;
  }
}

/** answered has clients ask the fast script, while slow statements wait at their gate. */
async function answered(t: Test): Promise<void> {
  const clients = new FastClients();
  await clients.end();
  t.strictSame(clients.failures, []);
}

/**
 * bypassed has clients ask while slow statements of a script that was fast wait at their gate, group after group until all
 * of one have their answers: of those before, only clients that were put behind one of the statements may have none. A
 * pause of the machine gives the statements time to come one by one. Afterwards the gate is opened.
 */
async function bypassed(t: Test, gate: Gate): Promise<void> {
  await until(async () => (await gate.waiting()) > 0);
  const groups: FastClients[] = [];
  const running = (): number => groups.reduce((sum, group) => sum + group.running, 0);
  do {
    groups.push(new FastClients());
    await until(async () => running() <= BEHIND * (await gate.waiting()));
    await sleep(STALLED);
  } while (groups.at(-1)!.running > 0);
  t.ok((await gate.waiting()) > 0, 'meanwhile slow statements wait');
  await gate.open();
  for (const group of groups) {
    await group.end();
    t.strictSame(group.failures, []);
  }
}

await answered(t);

t.test('64 slow requests at once', async (t) => {
  const slow = Array.from({ length: 64 }, () => service.error('slow/many'));
  await until(async () => (await many.waiting()) > 0);
  await answered(t);
  t.equal(await service.error('fast/new'), '200', 'the first request of another script');
  t.ok((await Promise.all(slow.map(isPending))).every(Boolean), 'all of them wait at the gate');
  await many.open();
  t.strictSame(new Set(await Promise.all(slow)), new Set(['200']), 'all are served in the end');
});

t.test('fast and slow parameters of one script in turn', async (t) => {
  for (let i = 0; i < 50; i++) await service.ask('mixed/turns?slow=false');
  for (let turn = 0; turn < 4; turn++) {
    await turns.close();
    const asked = Array.from({ length: 15 }, (_, n) =>
      service.error(`mixed/turns?slow=${n === turn}`),
    );
    await bypassed(t, turns);
    t.strictSame(new Set(await Promise.all(asked)), new Set(['200']), `turn ${turn}`);
  }
});

t.test('a script that turns slow, and fast again', async (t) => {
  await turned.open();
  const clients = 4;
  const target = (): string => '/_QUERIES/mixed/turned';
  const load = new Load(t, { port, clients, flood: true, target });
  await load.reached(200);
  await turned.close();
  await bypassed(t, turned);
  await load.more(200);
  await answered(t);
  await load.stop();
  t.strictSame(load.failures, []);
});

t.test('a burst of slow requests of a script that was fast', async (t) => {
  await burst.open();
  for (let i = 0; i < 50; i++) await service.ask('mixed/burst');
  await burst.close();
  const slow = Array.from({ length: 16 }, () => service.error('mixed/burst'));
  await bypassed(t, burst);
  t.strictSame(new Set(await Promise.all(slow)), new Set(['200']));
});

t.test('more slow requests than can wait', async (t) => {
  const slow = new Load(t, {
    port,
    clients: 800,
    flood: true,
    target: () => '/_QUERIES/slow/flood',
  });
  await slow.reached(1, 503); // those too many are refused
  await answered(t);
  t.equal(slow.count(200), 0, 'the others wait at the gate');
  t.equal(slow.bare, 0, 'each told when to come again');
  for (const failure of slow.failures)
    t.equal(failure, '503 {"error":"too many slow statements wait already","code":"busy"}');
  await flood.open();
  await slow.reached(1);
  await slow.stop();
});
