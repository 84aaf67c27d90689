/** The routes of scripts in an HTTP process: fetched on demand, kept when a worker fails. */
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { ScriptRoutes } from '#app/serve/http/routes/script-routes.js';
import type { RouteTrie } from '#app/serve/http/routes/route-trie.js';
import type { RouteList } from '#app/messages/tasks.js';

const LATER = 3_600_000;

/** A list with one path, `/v1/NAME`. */
function list(name: string): RouteList {
  const script = { alias: 'main', folder: 'f', name };
  const routes = [{ methods: ['GET'], path: `/v1/${name}`, segments: ['v1', name], script }];
  return { version: name, routes };
}

const has = (trie: RouteTrie, name: string): boolean =>
  trie.find('GET', ['v1', name]) !== undefined;

t.test('without a worker', async (t) => {
  let fails = true;
  const routes = new ScriptRoutes(() => {
    return fails ? Promise.reject(new Error('no worker thread')) : Promise.resolve(list('a'));
  });
  await t.rejects(async () => routes.current(performance.now()), { code: 'busy' });
  fails = false;
  t.ok(has(await routes.current(performance.now() + LATER), 'a'));
  fails = true;
  const kept = await routes.current(performance.now() + LATER);
  t.ok(has(kept, 'a'), 'the last list stays');
});

t.test('a list is fetched when it has expired, and only then waited for', async (t) => {
  const asked: string[] = [];
  let answer: RouteList | undefined = list('a');
  const routes = new ScriptRoutes((version) => {
    asked.push(version);
    return Promise.resolve(answer);
  });
  const [first, same] = await Promise.all([
    Promise.resolve(routes.current(performance.now())),
    Promise.resolve(routes.current(performance.now())),
  ]);
  t.equal(first, same);
  t.same(asked, [''], 'one fetch for requests at the same time');
  t.equal(routes.current(performance.now()), first, 'fresh');
  t.equal(asked.length, 1);
  answer = undefined;
  t.equal(await routes.current(performance.now() + LATER), first, 'the same version');
  t.same(asked, ['', 'a']);
  answer = list('b');
  const next = await routes.current(performance.now() + LATER);
  t.ok(has(next, 'b') && !has(next, 'a'));
  t.same(asked, ['', 'a', 'a']);
});
