/** What a probe saw stays known until the next one; a probe that hangs means down, and holds up no other. */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createLogger } from '#app/log.js';
import { DatabaseHealth } from '#app/pool/database-health.js';

/** What a probe of one database comes to. */
type Probed = () => Promise<string>;

const never: Probed = () => new Promise(() => undefined);
const fails: Probed = () => Promise.reject(new Error('the worker died'));
const UP: Probed = () => Promise.resolve('');
const AWAY: Probed = () => Promise.resolve('away');

/** The states of `a` and `b` over time: half a second after each given moment (seconds), the probes taking turns. */
async function watch(
  t: Pick<Test, 'teardown'>,
  probes: { readonly a: readonly Probed[]; readonly b: readonly Probed[] },
  at: readonly number[],
): Promise<boolean[][]> {
  const turns = { a: 0, b: 0 };
  const health = new DatabaseHealth(
    ['a', 'b'],
    (alias) => {
      const own = probes[alias as 'a' | 'b'];
      return own[Math.min(turns[alias as 'a' | 'b']++, own.length - 1)]!();
    },
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

t.test('health', { jobs: 6 }, (t) => {
  t.test('down until seen', async (t) => {
    t.same(await watch(t, { a: [never], b: [UP] }, [0]), [[false, true]]);
  });

  t.test('the next probe is believed', async (t) => {
    t.same(await watch(t, { a: [UP, AWAY, UP], b: [UP] }, [0, 2, 4]), [
      [true, true],
      [false, true],
      [true, true],
    ]);
  });

  t.test('a worker that dies under a probe says nothing of databases', async (t) => {
    t.same(await watch(t, { a: [UP, fails], b: [AWAY, fails] }, [0, 2]), [
      [true, false],
      [true, false],
    ]);
  });

  t.test('a probe that hangs means down', async (t) => {
    t.same(await watch(t, { a: [UP, never], b: [UP] }, [4, 8]), [
      [true, true],
      [false, true],
    ]);
  });

  t.test('a probe that hangs does not stop the next one', async (t) => {
    t.same(await watch(t, { a: [never, UP], b: [AWAY] }, [4, 6]), [
      [false, false],
      [true, false],
    ]);
  });

  t.test('nor those of another database', async (t) => {
    t.same(await watch(t, { a: [never], b: [UP, AWAY, UP] }, [0, 2, 4]), [
      [false, true],
      [false, false],
      [false, true],
    ]);
  });

  t.end();
});
