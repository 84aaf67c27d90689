/** A thousand scripts as tools: the list of them is there at once when it was made, and others have their turn meanwhile. */
import t from 'tap';
import { cpuTime } from '../../support/cpu.js';
import { startPostgres } from '../../support/postgres.js';
import { CREATE, insert, TestScripts } from '../../stored/registry/tables.js';
import { callOf, TestedScripts } from '../tested-scripts.js';

const MANY = 1_000;

const text = (i: number) => `-- Script ${i}: what it reads.
SELECT ${i} AS n WHERE true
{{if isSet "name"}}AND 'x' = {{sqlVal "name"}}{{end}} {{if isSet "above"}}AND 1 > {{sqlVal "above"}}::int{{end}}
{{if isSet "ids"}}AND 1 IN {{sqlList "ids"}}{{end}} {{limitOffset ._page ._page_size}}`;

const paths = Array.from({ length: MANY }, (_, i) => `folder${i % 10}/script${i}`);

const postgres = await startPostgres(t, {
  setup: `${CREATE}; ${paths.map((path, i) => insert(path, text(i))).join('\n')}`,
});

/** The most computing time between two turns of the loop while something was awaited, ms: others wait that long. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.cpuUsage();
  const turned = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
  };
  let next = setImmediate(function turn() {
    turned();
    next = setImmediate(turn);
  });
  await work();
  clearImmediate(next);
  turned();
  return longest;
}

for (const kind of ['folder', 'table'])
  t.test(kind, async (t) => {
    const stored = kind === 'table' ? { scripts: new TestScripts(t, postgres).scripts } : {};
    const texts = Object.fromEntries(paths.map((path, i) => [path, text(i)]));
    const scripts = new TestedScripts(t, postgres, kind === 'table' ? stored : { texts });
    let longest = 0;
    const all = await cpuTime(async () => {
      longest = await longestTurn(() => scripts.tools.list(callOf()));
    });
    t.ok(
      longest < all / 3,
      `the thread is held for ${longest.toFixed(1)} of ${all.toFixed(1)} ms at most`,
    );
    const tools = await scripts.tools.list(callOf());
    t.equal(tools.length, MANY);
    t.equal(tools[0]!.name, 'service.script.main.folder0.script0');
    t.ok(tools.every(({ json }) => json.length < 2_000));
    const again = await cpuTime(async () => {
      for (let i = 0; i < 10; i++) await scripts.tools.list(callOf());
    });
    t.ok(
      again < all,
      `ten lists as it is take ${again.toFixed(1)} ms, the first ${all.toFixed(1)}`,
    );
    t.equal(
      await scripts.run('folder9/script999', { _page_size: 1 }),
      '{"rows":[{"n":999}],"count":1}',
    );
  });
