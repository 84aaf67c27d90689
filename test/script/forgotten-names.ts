/** Names that requests ask for and no script has. */
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import { ScriptStore } from '#app/script/files/script-store.js';
import { ask } from './asked.js';

/** Names of two generations, after which a store holds as many as it ever does. */
const WARM = 4_000;

/** forgottenTest makes the test of `names` further names, over which the memory grows by less than some MiB. */
export function forgottenTest(t: Test, names: number, limit: number): void {
  t.test(`${names} names without a script are forgotten`, async (t) => {
    const tree = t.testdir({ f: {} });
    writeFileSync(`${tree}/f/s.read.sql`, 'kept');
    const store = new ScriptStore(tree, createLogger({ level: 'silent', pretty: false }, {}));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const askAll = async (from: number, to: number): Promise<void> => {
      for (let i = from; i < to; i += 100) {
        const asked = Array.from({ length: 100 }, (_, k) => ask(store, `f/none${i + k}`));
        t.ok((await Promise.all(asked)).every((answer) => answer === 'script_not_found'));
        t.equal(await ask(store, 'f/s'), 'kept');
      }
    };
    await askAll(0, WARM);
    const before = held();
    await askAll(WARM, WARM + names);
    const grown = (held() - before) / 2 ** 20;
    t.ok(grown < limit, `${grown} MiB more`);
  });
}
