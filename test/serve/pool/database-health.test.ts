/** What a probe saw stays known until the next one; a probe that hangs means down, and holds up no other. */
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { createLogger } from '#app/observe/log.js';
import { engineOf } from '#app/base/engine.js';
import { DatabaseHealth } from '#app/serve/pool/database-health.js';
import type { Probed } from '#app/messages/tasks.js';

/** The clock of the tests, ms: their timers and times follow it. */
let clock = 0;
mock.timers.enable({ apis: ['setInterval'] });
mock.method(performance, 'now', () => clock);

/** The result of a probe of one database. */
type Attempt = () => Promise<Probed>;

const never: Attempt = () => new Promise(() => undefined);
const fails: Attempt = () => Promise.reject(new Error('the worker died'));
const UP: Attempt = () => Promise.resolve({ reason: '', engine: engineOf('', 180_004, null) });
const AWAY: Attempt = () => Promise.resolve({ reason: 'away', engine: undefined });

/** The states of `a` and `b` over time: half a second after each given moment (seconds), the probes taking turns. */
async function watch(
  probes: { readonly a: readonly Attempt[]; readonly b: readonly Attempt[] },
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
  const seen: boolean[][] = [];
  const began = clock;
  for (const second of at) {
    while (clock - began < second * 1_000 + 500) {
      clock += 250;
      mock.timers.tick(250);
      await turn();
    }
    seen.push([...health.states.values()]);
  }
  health.stop();
  return seen;
}

t.test('health', (t) => {
  t.test('down until seen', async (t) => {
    t.same(await watch({ a: [never], b: [UP] }, [0]), [[false, true]]);
  });

  t.test('the next probe is believed', async (t) => {
    t.same(await watch({ a: [UP, AWAY, UP], b: [UP] }, [0, 2, 4]), [
      [true, true],
      [false, true],
      [true, true],
    ]);
  });

  t.test('a worker that dies under a probe says nothing of databases', async (t) => {
    t.same(await watch({ a: [UP, fails], b: [AWAY, fails] }, [0, 2]), [
      [true, false],
      [true, false],
    ]);
  });

  t.test('a probe that hangs means down', async (t) => {
    t.same(await watch({ a: [UP, never], b: [UP] }, [4, 8]), [
      [true, true],
      [false, true],
    ]);
  });

  t.test('a probe that hangs does not stop the next one', async (t) => {
    t.same(await watch({ a: [never, UP], b: [AWAY] }, [4, 6]), [
      [false, false],
      [true, false],
    ]);
  });

  t.test('nor those of another database', async (t) => {
    t.same(await watch({ a: [never], b: [UP, AWAY, UP] }, [0, 2, 4]), [
      [false, true],
      [false, false],
      [false, true],
    ]);
  });

  t.test('probed: once each first probe has ended, or taken too long', async (t) => {
    const probedAt = async (a: Attempt, b: Attempt): Promise<number> => {
      const health = new DatabaseHealth(
        ['a', 'b'],
        (alias) => (alias === 'a' ? a : b)(),
        createLogger({ level: 'silent', pretty: false }, {}),
      );
      let probed = false;
      void health.probed.then(() => {
        probed = true;
      });
      const began = clock;
      await turn();
      while (!probed) {
        clock += 250;
        mock.timers.tick(250);
        await turn();
      }
      health.stop();
      return clock - began;
    };
    t.equal(await probedAt(UP, UP), 0);
    t.equal(await probedAt(UP, AWAY), 0);
    t.equal(await probedAt(fails, UP), 0, 'the worker died');
    t.equal(await probedAt(UP, never), 6_000);
  });

  t.end();
});
