/** Responses leave together at the end of the callback that made them, and never wait for another one, except for room. */
import t from 'tap';
import type { LargeValue } from '#app/native/pipeline.js';
import {
  createRing,
  LONGEST_TEXT,
  ResponseReader,
  ResponseRing,
} from '#app/native/response-ring.js';
import { ResponseBatcher } from '#app/worker/responses/response-batcher.js';

type Bodies = readonly (string | LargeValue)[] | undefined;

/** What the HTTP process has read: an id and a body each, and how often it was woken. */
class Inbox {
  readonly batcher: ResponseBatcher;
  readonly read: string[] = [];
  readonly bodies: (string | LargeValue)[] = [];
  readonly reader: ResponseReader;
  wakes = 0;
  /** Whether what comes is read at once. */
  reads = true;

  constructor() {
    const memory = createRing();
    this.reader = new ResponseReader(memory);
    this.batcher = new ResponseBatcher(new ResponseRing(memory), (bodies) => this.#woken(bodies));
  }

  respond(id: number, body: string | LargeValue): void {
    this.batcher.respond(id, 200, 0, '', body);
  }

  #woken(bodies: Bodies): void {
    this.wakes++;
    if (bodies !== undefined) this.bodies.push(...bodies);
    if (this.reads) this.take(bodies?.length);
  }

  /** Reads what was published, with so many bodies that travel apart. */
  take(apart = 0): void {
    const buffers = Array.from({ length: apart }, () => new ArrayBuffer(0));
    this.reader.read(buffers, (id, _status, _type, _lines, body) => {
      const text = Buffer.from(body as Uint8Array).toString();
      this.read.push(body instanceof ArrayBuffer ? `${id} apart` : `${id} ${text.slice(0, 10)}`);
    });
  }
}

const large = (length: number): LargeValue => ({ length, text: () => 'x'.repeat(length) });

/** Waits for the end of this callback and all that follows from it. */
const callbackOver = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('those of one callback are published together', async (t) => {
  const inbox = new Inbox();
  for (const id of [1, 2, 3]) inbox.respond(id, 'a');
  t.equal(inbox.wakes, 0);
  await callbackOver();
  t.equal(inbox.wakes, 1);
  t.same(inbox.read, ['1 a', '2 a', '3 a']);
});

t.test('the next callback does not wait for another', async (t) => {
  const inbox = new Inbox();
  let seen = -1;
  setImmediate(() => inbox.respond(1, 'a'));
  setImmediate(() => {
    seen = inbox.wakes;
    inbox.respond(2, 'b');
  });
  await callbackOver();
  await callbackOver();
  t.equal(seen, 1);
  t.same(inbox.read, ['1 a', '2 b']);
});

t.test('long bodies travel apart, once, in the order of their records', async (t) => {
  const inbox = new Inbox();
  const [one, two] = [large(40_000), large(50_000)];
  inbox.respond(1, one);
  inbox.respond(2, 'b');
  inbox.respond(3, 'c'.repeat(LONGEST_TEXT));
  inbox.respond(4, 'd'.repeat(LONGEST_TEXT + 1));
  inbox.respond(5, two);
  await callbackOver();
  inbox.respond(6, 'e');
  await callbackOver();
  t.same(inbox.read, ['1 apart', '2 b', '3 cccccccccc', '4 apart', '5 apart', '6 e']);
  t.equal(inbox.bodies.length, 3);
  t.equal(inbox.bodies[0], one);
  t.equal(inbox.bodies[1], 'd'.repeat(LONGEST_TEXT + 1));
  t.equal(inbox.bodies[2], two);
});

t.test('responses without room wait until the HTTP process has read', async (t) => {
  const inbox = new Inbox();
  inbox.reads = false;
  const ids = Array.from({ length: 400 }, (_, id) => id);
  for (const id of ids) inbox.respond(id, `${id}`.repeat(2_500));
  await callbackOver();
  const rounds: number[] = [];
  for (let full = true; full; full = inbox.reader.takeFull()) {
    if (rounds.length > 0) inbox.batcher.hasRoom();
    await callbackOver();
    inbox.take();
    rounds.push(inbox.read.length);
  }
  t.equal(inbox.reader.takeFull(), false, 'it is told once');
  t.ok(rounds.length > 1, `${rounds.join(', ')} after each round`);
  t.same(
    inbox.read,
    ids.map((id) => `${id} ${`${id}`.repeat(10).slice(0, 10)}`),
  );
});
