/** An exploration lets the event loop turn: a thread that proves scripts serves requests meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { explore } from '#app/proof/branches/exploration.js';
import { Slices } from '#app/base/slices.js';
import { compileText, type ScriptText } from '#app/script/script-text.js';

const filters = Array.from(
  { length: 12 },
  (_, i) => `{{if isSet "p${i}"}} AND id = {{sqlVal "p${i}"}}{{end}}`,
);
const text = compileText(`SELECT 1 FROM item WHERE true${filters.join('')}`, 'a/b', 'read');
const bounds = { paths: 8_192, shapes: 8_192, pairs: 8_192, isOver: () => false };

for (const [about, slices] of [
  ['between slices', new Slices()],
  ['in pauses', new Slices(() => sleep(1))],
] as const)
  t.test(about, async (t) => {
    let turns = 0;
    let done = false;
    const turn = (): void => {
      turns++;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    const { renderings, extent } = await explore(text as ScriptText, bounds, slices);
    done = true;
    t.strictSame([renderings, extent], [4_096, 'all']);
    t.ok(turns > 4, `${turns} turns`);
  });
