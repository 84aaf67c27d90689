/** What a worker knows of primaries that it has not seen itself: it never chooses one that another worker saw superseded. */
import t from 'tap';
import { createSharedMemory } from '#app/native/shared-memory.js';
import { KnownPrimaries } from '#app/postgres/servers/known-primaries.js';
import { PLAN_TIMES_BYTES, PRIMARIES_BYTES } from '#app/messages/worker-settings.js';
import { RolesFixture } from '../roles-fixture.js';

/** Memory as the supervisor makes it, with a mapping for each worker. */
function memory(): () => KnownPrimaries {
  const descriptor = createSharedMemory(PLAN_TIMES_BYTES + PRIMARIES_BYTES);
  return () => new KnownPrimaries(descriptor);
}

/** A worker that waits for every server, without end. */
function starting(known: KnownPrimaries, addresses?: string[]): RolesFixture {
  return new RolesFixture(known, Infinity, addresses);
}

/** All servers have been heard, and the second one was promoted. */
function promoted(known: KnownPrimaries): RolesFixture {
  const worker = starting(known);
  for (const said of ['0 p1:500', '1 r1:500', '2 r1:500', '1 p2:510'])
    worker.says(Number(said[0]), said.slice(2));
  return worker;
}

t.test('the first worker waits until every server has answered', (t) => {
  const worker = starting(memory()());
  const seen = ['0 p1:500', '1 gone', '2 r1:500', '0 p1:501', '1 r1:501'].map((said) => {
    worker.says(Number(said[0]), said.slice(2));
    return worker.primary;
  });
  t.strictSame(seen, [undefined, undefined, undefined, undefined, 0]);
  t.strictSame(worker.serving, [1, 2]);
  t.strictSame(
    worker.reported.filter((line) => line.endsWith('outdated')),
    [],
  );
  t.end();
});

t.test('the server of the highest timeline answers last', (t) => {
  const worker = starting(memory()());
  worker.says(0, 'p1:500');
  worker.says(2, 'r1:500');
  t.equal(worker.primary, undefined);
  worker.says(1, 'p2:510');
  t.equal(worker.primary, 1);
  t.end();
});

t.test('no worker waits longer than it may, nor where others have chosen', (t) => {
  const known = memory()();
  const late = new RolesFixture(known, -1);
  t.equal(late.primary, 0);
  late.says(0, 'p1:500');
  t.equal(starting(known).primary, 0);
  t.equal(starting(known, ['a', 'b']).primary, undefined, 'other servers');
  t.end();
});

t.test('another engine is not waited for', (t) => {
  const worker = starting(memory()());
  worker.says(1, 'e0:0', 'an engine');
  t.equal(worker.primary, undefined);
  worker.says(0, 'e0:0', 'an engine');
  t.equal(worker.primary, 0);
  t.end();
});

t.test('a worker that starts while the new primary is away', (t) => {
  const worker = memory();
  promoted(worker());
  const next = starting(worker());
  t.equal(next.primary, 1, 'before any answer');
  for (const said of ['0 p1:505', '1 gone', '0 p1:506', '2 r1:506']) {
    next.says(Number(said[0]), said.slice(2));
    t.equal(next.primary, 1, said);
    t.notOk(next.servers[0]!.isPrimary);
  }
  t.strictSame(next.replaced, []);
  t.end();
});

t.test('a worker that runs gives up the primary that another one saw superseded', (t) => {
  const worker = memory();
  const other = starting(worker());
  for (const said of ['0 p1:500', '1 r1:500', '2 r1:500'])
    other.says(Number(said[0]), said.slice(2));
  t.equal(other.primary, 0);
  promoted(worker());
  other.roles.learn();
  t.equal(other.primary, undefined);
  other.says(0, 'p1:505');
  t.equal(other.primary, undefined);
  other.says(1, 'p2:510');
  t.equal(other.primary, 1);
  t.strictSame(other.replaced, [1], 'counted once');
  t.end();
});

t.test('only what a server says later shows that it was rewound', (t) => {
  const worker = memory();
  const other = starting(worker());
  for (const said of ['0 p1:500', '1 r1:500', '2 r1:500'])
    other.says(Number(said[0]), said.slice(2));
  other.roles.asks(other.servers[1]!);
  promoted(worker());
  other.roles.learn();
  other.answers(1, 'r1:500'); // from before the promotion
  other.says(0, 'p1:505');
  t.equal(other.primary, undefined);
  other.says(1, 'r1:505');
  t.equal(other.primary, 0);
  t.equal(starting(worker()).primary, 0);
  t.end();
});

t.test('a server that accepts writes on an earlier timeline than before', (t) => {
  const worker = promoted(memory()());
  worker.says(1, 'p1:520');
  t.equal(worker.primary, undefined);
  worker.says(1, 'p2:530');
  t.equal(worker.primary, 1);
  t.end();
});

t.test('a cluster that was made anew', (t) => {
  const worker = memory();
  const running = promoted(worker());
  for (const one of [running, starting(worker())]) {
    one.says(0, 'p1:100', '8');
    t.equal(one.primary, 0);
  }
  t.equal(starting(worker()).primary, 0);
  t.end();
});

t.test('the servers of the database change', (t) => {
  const worker = memory();
  promoted(worker());
  const without = starting(worker(), ['a', 'c']);
  without.says(0, 'p1:505');
  t.equal(without.primary, undefined, 'each is heard first');
  without.says(1, 'r1:505');
  t.equal(without.primary, 0, 'the other one was taken out');
  const more = new RolesFixture(worker(), 0, ['a', 'b', 'c', 'd']);
  for (const said of ['0 p1:505', '3 r1:505', '1 gone']) {
    more.says(Number(said[0]), said.slice(2));
    t.not(more.primary, said === '0 p1:505' ? -1 : 0, said);
  }
  t.end();
});

t.test('without shared memory each worker knows what it has seen', (t) => {
  const known = new KnownPrimaries(undefined);
  promoted(known);
  t.equal(starting(known).primary, 1);
  t.equal(starting(new KnownPrimaries(undefined)).primary, undefined);
  t.end();
});

t.test('names beyond the room', (t) => {
  const known = new KnownPrimaries(undefined);
  const add = (i: number): void => known.change(`${i}`, 0n, BigInt(i));
  const room = PRIMARIES_BYTES / 16 - 1;
  for (let i = 1; i <= room; i++) add(i);
  t.equal(known.get('77'), 77n);
  t.throws(() => known.get('another'), /no room/);
  t.end();
});
