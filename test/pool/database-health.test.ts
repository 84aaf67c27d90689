/** What a probe saw stays known until the next one; a probe that hangs means down, and does not stop the next. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createLogger } from '#app/log.js';
import { DatabaseHealth } from '#app/pool/database-health.js';
import type { ProbeResult } from '#app/protocol.js';

type Probe = () => Promise<ProbeResult>;

const never: Probe = () => new Promise(() => undefined);
const fails: Probe = () => Promise.reject(new Error('the worker died'));
const gives =
  (result: ProbeResult): Probe =>
  () =>
    Promise.resolve(result);

/** The states of `a` and `b` over time: half a second after each given moment (seconds), the probes taking turns. */
async function watch(t: Pick<Test, 'teardown'>, probes: readonly Probe[], at: readonly number[]) {
  let turn = 0;
  const health = new DatabaseHealth(
    ['a', 'b'],
    () => probes[Math.min(turn++, probes.length - 1)]!(),
    createLogger({ level: 'silent', pretty: false }, {}),
  );
  t.teardown(() => health.stop());
  const seen: boolean[][] = [];
  const began = performance.now();
  for (const second of at) {
    await sleep(second * 1_000 + 500 - (performance.now() - began));
    seen.push([...health.states.values()]);
  }
  return seen;
}

const UP = gives({ a: '', b: '' });

t.test('health', { jobs: 6 }, (t) => {
  t.test('down until seen', async (t) => {
    t.same(await watch(t, [never], [0]), [[false, false]]);
  });

  t.test('each database by itself; one that is left out is down', async (t) => {
    t.same(await watch(t, [gives({ a: '' })], [0]), [[true, false]]);
  });

  t.test('the next probe is believed', async (t) => {
    const seen = await watch(t, [UP, gives({ a: 'away', b: '' }), UP], [0, 2, 4]);
    t.same(seen, [
      [true, true],
      [false, true],
      [true, true],
    ]);
  });

  t.test('a worker that dies under a probe says nothing of databases', async (t) => {
    t.same(await watch(t, [UP, fails], [0, 2]), [
      [true, true],
      [true, true],
    ]);
  });

  t.test('a probe that hangs means down', async (t) => {
    t.same(await watch(t, [UP, never], [4, 8]), [
      [true, true],
      [false, false],
    ]);
  });

  t.test('a probe that hangs does not stop the next one', async (t) => {
    t.same(await watch(t, [never, gives({ a: 'away', b: '' })], [4, 6]), [
      [false, false],
      [false, true],
    ]);
  });

  t.end();
});
