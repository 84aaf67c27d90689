/** A thousand scripts as tools: the list of them is there at once when it was made, and others have their turn meanwhile. */
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { CREATE, insert, TestScripts } from '../registry/tables.js';
import { callOf, TestedScripts } from './tested-scripts.js';

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
    const longest = await longestTurn(() => scripts.tools.list(callOf()));
    t.ok(longest < 80, `the thread is held for ${Math.round(longest)} ms at most`);
    const tools = await scripts.tools.list(callOf());
    t.equal(tools.length, MANY);
    t.equal(tools[0]!.name, 'service.script.main.folder0.script0');
    t.ok(tools.every(({ json }) => json.length < 2_000));
    const began = performance.now();
    for (let i = 0; i < 100; i++) await scripts.tools.list(callOf());
    const each = (performance.now() - began) / 100;
    t.ok(each < 20, `the list as it is takes ${each.toFixed(3)} ms`);
    t.equal(
      await scripts.run('folder9/script999', { _page_size: 1 }),
      '{"rows":[{"n":999}],"count":1}',
    );
  });
