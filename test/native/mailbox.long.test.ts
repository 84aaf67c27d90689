/** Messages between real threads: order, every kind of string, large values without a copy, threads that end. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { Mailbox, releaseBuffer } from '#app/native/mailbox.js';
import type { LargeValue } from '#app/native/pipeline.js';
import type { MailboxTask } from '../support/mailbox-thread.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const server = await startPostgres(t);
const conninfo = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres`;

/** A thread with a mailbox. */
interface Thread {
  worker: Worker;
  /** The address of its mailbox. */
  other: number;
  exited: Promise<unknown>;
}

/**
 * Starts a thread that posts to an address. Its exit is listened for from the beginning: Node can emit a last message
 * and the exit in one go.
 */
async function start(task: MailboxTask, address: number, count = 0): Promise<Thread> {
  const worker = new Worker(new URL('../support/mailbox-thread.js', import.meta.url), {
    workerData: { task, address, count, conninfo },
    execArgv: [], // not the test runner's loaders
  });
  const exited = once(worker, 'exit');
  const [other] = (await once(worker, 'message')) as [number];
  return { worker, other, exited };
}

type Tap = Pick<typeof t, 'teardown'>;

/** A mailbox that stores the texts received. */
class Inbox {
  readonly texts: string[] = [];
  readonly mailbox = new Mailbox((text) => this.texts.push(text));

  constructor(t: Tap) {
    t.teardown(() => this.mailbox.close());
  }

  /** Waits for that many messages. */
  async received(count: number): Promise<string[]> {
    await until(() => this.texts.length >= count);
    return this.texts;
  }
}

const STRINGS = [
  '',
  'a',
  'é\u00ff\u0000\u0001',
  'Ā',
  '€ and 😀',
  '\ud83d',
  '\ude00x',
  'x'.repeat(1 << 20),
  'é'.repeat(1 << 20),
  '€'.repeat(1 << 20),
  `${'a'.repeat(100_000)}\udc00`,
];

t.test('every kind of string there and back, in order', async (t) => {
  const inbox = new Inbox(t);
  const { worker, other } = await start('echo', inbox.mailbox.address);
  t.ok(other > 0 && other !== inbox.mailbox.address);
  for (const text of STRINGS) t.equal(inbox.mailbox.post(other, text), true);
  const got = await inbox.received(STRINGS.length);
  t.ok(got.every((text, i) => text === STRINGS[i]));
  t.equal(got.length, STRINGS.length);
  await worker.terminate();
});

t.test('thousands of messages from both sides', async (t) => {
  const inbox = new Inbox(t);
  const { worker, other } = await start('echo', inbox.mailbox.address);
  const wanted = Array.from({ length: 20_000 }, (_, i) => `${i}`);
  for (const [i, text] of wanted.entries()) {
    inbox.mailbox.post(other, text);
    if (i % 100 === 0) await sleep(0);
  }
  t.strictSame(await inbox.received(wanted.length), wanted);
  await worker.terminate();
});

t.test('from several threads, none is lost and each keeps its order', async (t) => {
  const inbox = new Inbox(t);
  const threads = await Promise.all(
    [1, 2, 3].map(() => start('send', inbox.mailbox.address, 5000)),
  );
  const got = await inbox.received(15_000);
  t.equal(got.length, 15_000);
  for (const { other } of threads) {
    const own = got.filter((text) => text.startsWith(`${other}:`));
    t.strictSame(
      own,
      Array.from({ length: 5000 }, (_, i) => `${other}:${i}`),
    );
  }
  await Promise.all(threads.map(({ worker }) => worker.terminate()));
});

t.test('a post to a closed or unknown address returns false', async (t) => {
  const inbox = new Inbox(t);
  const { mailbox } = inbox;
  for (const unknown of [0, 4_000_000_000]) t.equal(mailbox.post(unknown, 'x'), false);
  const closed = new Mailbox(() => undefined);
  const { address } = closed;
  t.equal(mailbox.post(address, 'x'), true);
  closed.close();
  closed.close();
  t.equal(mailbox.post(address, 'x'), false);
  t.equal(closed.address, 0);
  t.equal(closed.post(mailbox.address, 'from a closed one'), true);
  t.strictSame(await inbox.received(1), ['from a closed one']);
  const { worker, other } = await start('echo', mailbox.address);
  await worker.terminate();
  t.equal(mailbox.post(other, 'x'), false);
  t.not(new Mailbox(() => undefined).address, address, 'addresses are never reused');
});

t.test('a mailbox closed in its callback receives no more', async (t) => {
  const texts: string[] = [];
  const mailbox = new Mailbox((text) => {
    texts.push(text);
    mailbox.close();
  });
  const { address } = mailbox;
  for (const text of ['first', 'second']) mailbox.post(address, text);
  await sleep(50);
  t.strictSame(texts, ['first']);
});

t.test('ticks and microtasks run between two messages', async (t) => {
  const order: string[] = [];
  const mailbox = new Mailbox((text) => {
    order.push(text);
    process.nextTick(() => order.push('tick'));
    queueMicrotask(() => order.push('microtask'));
  });
  for (const text of ['first', 'second']) mailbox.post(mailbox.address, text);
  await until(() => order.length >= 6);
  t.strictSame(order, ['first', 'tick', 'microtask', 'second', 'tick', 'microtask']);
  mailbox.close();
});

t.test('an exception in the callback is uncaught, and later messages arrive', async (t) => {
  const inbox = new Inbox(t);
  const { worker, other } = await start('throw', inbox.mailbox.address);
  for (const text of ['before', 'throw', 'after']) inbox.mailbox.post(other, text);
  t.strictSame(await inbox.received(3), ['before', 'thrown on purpose', 'after']);
  await worker.terminate();
});

t.test('a mailbox keeps no thread alive', async () => {
  const { exited } = await start('idle', 0);
  await exited;
});

t.test('threads that end while messages wait', { timeout: 60_000 }, async (t) => {
  const inbox = new Inbox(t);
  for (let i = 0; i < 12; i++) {
    const { worker, other, exited } = await start(
      i % 2 === 0 ? 'deaf' : 'echo',
      inbox.mailbox.address,
    );
    for (let k = 0; k < 2000; k++) inbox.mailbox.post(other, `message ${k}`);
    if (i % 4 === 1) {
      inbox.mailbox.post(other, 'end');
      await exited;
    } else await worker.terminate();
    t.equal(inbox.mailbox.post(other, 'x'), false);
  }
});

t.test('large values are transferred unchanged', async (t) => {
  const texts: string[] = [];
  const bodies: ArrayBuffer[] = [];
  const mailbox = new Mailbox((text, came) => {
    if (text !== '') texts.push(text);
    if (came !== undefined) bodies.push(...came);
  });
  t.teardown(() => mailbox.close());
  const { exited } = await start('large', mailbox.address, 12);
  await exited;
  await until(() => texts.at(-1) === 'done');
  const after = '1000000 the value was transferred';
  t.strictSame(texts, [after, after, 'done']);
  t.equal(bodies.length, 12);
  bodies.forEach((body, i) => {
    const text = Buffer.from(body).toString();
    t.ok(text === String((i + 1) % 10).repeat(1_000_000), `value ${i + 1}, its thread has ended`);
  });
  releaseBuffer(bodies[0]!);
  t.equal(bodies[0]!.byteLength, 0);
  releaseBuffer(bodies[0]!);
});

t.test('a released body is freed', { timeout: 120_000 }, async (t) => {
  let first = 0;
  let came = 0;
  const mailbox = new Mailbox((_text, bodies) => {
    for (const body of bodies ?? []) {
      releaseBuffer(body);
      if (++came === 100) first = process.memoryUsage.rss();
    }
  });
  t.teardown(() => mailbox.close());
  const { exited } = await start('large', mailbox.address, 350);
  await exited;
  await until(() => came >= 350);
  t.equal(came, 350);
  const grown = (process.memoryUsage.rss() - first) / (1 << 20);
  t.ok(grown < 100, `memory grew by ${grown} MiB with 250 MB more`);
});

t.test('wrong arguments are rejected, and their values stay', async (t) => {
  const Any = Mailbox as unknown as new (...values: unknown[]) => Mailbox;
  for (const wrong of [undefined, null, 'x', {}]) t.throws(() => new Any(wrong), TypeError);
  const { mailbox } = new Inbox(t);
  const post = mailbox.post.bind(mailbox) as (...values: unknown[]) => boolean;
  const { address } = mailbox;
  for (const values of [[], [address], ['1', 'x'], [address, 1], [address, null]])
    t.throws(() => post(...values), TypeError);
  const connection = await Pipelined.connect(conninfo);
  t.teardown(() => connection.pq.finish());
  const value = (await connection.run(`SELECT repeat('x', 10000)`, [], '', true)) as LargeValue;
  for (const bodies of [null, 'x', value, [1], [{}], [mailbox], [value, {}], [value, value]])
    t.throws(() => post(address, 'x', bodies), TypeError);
  t.equal(post(0, 'x', [value]), false);
  t.equal(value.text().length, 10_000, 'it is still readable');
  t.equal(post(address, 'x', [value]), true);
  t.throws(() => post(address, 'x', [value]), TypeError, 'transferred before');
  for (const wrong of [undefined, 'x', new Uint8Array(1)])
    t.throws(() => releaseBuffer(wrong as unknown as ArrayBuffer), TypeError);
});
