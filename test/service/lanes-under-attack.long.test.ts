/** Requests of a fast script beside a client that does its worst with slow ones: they hardly notice. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Gate, GATES } from '../support/gate.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { isPending, until } from '../support/until.js';

const SLEEP = 'SELECT pg_sleep({{sqlVal "s"}}::float8) IS NULL AS v';
const postgres = await startPostgres(t, { setup: GATES });
/** Slow statements that end when the test wants: a fast one that waited for them would never be answered. */
const [many, flood] = [new Gate(postgres, 'many'), new Gate(postgres, 'flood')];
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'fast/one.read.sql': 'SELECT {{sqlVal "n"}}::int AS n',
    'fast/new.read.sql': 'SELECT 2 AS n',
    'slow/many.read.sql': many.sql,
    'slow/flood.read.sql': flood.sql,
    'mixed/alternating.read.sql': SLEEP,
    'mixed/turning.read.sql': SLEEP,
    'mixed/burst.read.sql': SLEEP,
  },
  config: {
    'http.processes': 1,
    'pool.threads': 1,
    'pool.queue': 1_000, // half of them may wait
    'pg.conntimeout': '1h',
    'http.timeout': '1h',
  },
});
const { port } = service;
const CLIENTS = 32;

interface Fast {
  readonly count: number;
  /** 99 of 100 answers came within this, ms. */
  readonly p99: number;
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

/** fast asks the fast script for that long (ms), each client its next once it has the last. */
async function fast(time: number): Promise<Fast> {
  const times: number[] = [];
  const failures: string[] = [];
  const end = performance.now() + time;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, n) => {
      while (performance.now() < end) {
        const began = performance.now();
        const { status, text } = await service.ask(`fast/one?n=${n}`);
        times.push(performance.now() - began);
        if (status !== 200 || text !== `[{"n":${n}}]`) failures.push(`${status} ${text}`);
      }
    }),
  );
  times.sort((a, b) => a - b);
  return { count: times.length, p99: times[Math.floor(times.length * 0.99)]!, times, failures };
}

await fast(500);
const alone = await fast(500);
/** What a slow statement takes, seconds: far longer than anything alone, however busy the machine is. */
const NAP = Math.max(0.3, (4 * alone.p99) / 1000);
/** An answer as late as that (ms) has waited for a slow statement. */
const LATE = NAP * 850;

/** undisturbed checks what the fast ones got beside an attack; `late` of them may have stood behind a slow one. */
function undisturbed(t: Test, beside: Fast, late = beside.count / 100): void {
  t.strictSame(beside.failures, []);
  const { p99, count, times } = beside;
  const lateOnes = times.filter((time) => time > LATE).length;
  const seen = `${count} answers, p99 ${p99.toFixed(1)} ms; alone ${alone.count}, ${alone.p99.toFixed(1)} ms`;
  t.ok(lateOnes <= late, `${lateOnes} late of ${seen}`);
  t.ok(count > Math.min(4 * CLIENTS, alone.count / 4), 'and they are not held up as a whole');
}

/** answered has each client ask the fast script some times, while slow statements wait at their gate. */
async function answered(t: Test): Promise<void> {
  const failures: string[] = [];
  const client = async (n: number): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      const { status, text } = await service.ask(`fast/one?n=${n}`);
      if (status !== 200 || text !== `[{"n":${n}}]`) failures.push(`${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  t.strictSame(failures, []);
  t.equal(await service.error('fast/new'), '200', 'the first request of another script');
}

t.test('64 slow requests at once', async (t) => {
  const slow = Array.from({ length: 64 }, () => service.error('slow/many'));
  await until(async () => (await many.waiting()) > 0);
  await answered(t);
  t.ok((await Promise.all(slow.map(isPending))).every(Boolean), 'all of them wait at the gate');
  await many.open();
  t.strictSame(new Set(await Promise.all(slow)), new Set(['200']), 'all are served in the end');
});

t.test('fast and slow parameters of one script in turn', async (t) => {
  const attack = new Load(t, {
    port,
    clients: 32,
    flood: true,
    target: (n) => `/_QUERIES/mixed/alternating?s=${n % 15 === 14 ? NAP : 0}`,
  });
  await sleep(300);
  undisturbed(t, await fast(1_000));
  await attack.stop();
  t.strictSame(attack.failures, []);
});

t.test('a script that turns slow, and fast again', async (t) => {
  let seconds = 0;
  const turning = new Load(t, {
    port,
    clients: 8,
    flood: true,
    target: () => `/_QUERIES/mixed/turning?s=${seconds}`,
  });
  await sleep(300);
  seconds = NAP;
  // Those that stand behind its first slow statements wait for them, each client once or twice.
  undisturbed(t, await fast(Math.max(1_200, 4_000 * NAP)), 2 * CLIENTS);
  undisturbed(t, await fast(500));
  seconds = 0;
  await sleep(700);
  const before = turning.asked;
  await sleep(1_000 * NAP);
  // Of slow statements each client would have finished one or two.
  const again = turning.asked - before;
  t.ok(again > 4 * 8, `it is fast again: ${again} within a slow statement`);
  await turning.stop();
  t.strictSame(turning.failures, []);
});

t.test('a burst of slow requests of a script that was fast', async (t) => {
  for (let i = 0; i < 50; i++) await service.ask('mixed/burst?s=0');
  const burst = Array.from({ length: 16 }, () => service.error(`mixed/burst?s=${NAP}`));
  undisturbed(t, await fast(Math.max(1_500, 5_000 * NAP)), 2 * CLIENTS);
  t.strictSame(new Set(await Promise.all(burst)), new Set(['200']));
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
