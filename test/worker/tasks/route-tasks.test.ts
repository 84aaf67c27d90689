/** The list of routes that a worker gives: a new version only when a path has changed, conflicts logged once. */
import t from 'tap';
import { parseRoute } from '#app/script/head/route-pattern.js';
import type { Logger } from '#app/observe/log.js';
import { RouteTasks } from '#app/worker/tasks/route-tasks.js';
import type { RoutedScript } from '#app/script/scripts.js';

function script(name: string, path: string, alias?: string): RoutedScript {
  return { alias, folder: 'f', name, verb: 'read', routes: [parseRoute(path, ['GET', 'HEAD'])] };
}

function tasks(): { tasks: RouteTasks; logged: string[]; set: (scripts: RoutedScript[]) => void } {
  const logged: string[] = [];
  const log = { error: (message: string) => logged.push(message) } as unknown as Logger;
  let scripts: readonly RoutedScript[] = [];
  const routed = (): readonly RoutedScript[] => scripts;
  return {
    tasks: new RouteTasks({
      settings: { defaultAlias: 'main' },
      databases: new Set(['main', 'other']),
      scripts: { routed },
      log,
    }),
    logged,
    set: (given) => (scripts = given),
  };
}

t.test('versions', async (t) => {
  const { tasks: one, set } = tasks();
  const empty = await one.list('');
  t.same(empty?.routes, []);
  t.equal(await one.list(empty!.version), undefined);
  t.not((await tasks().tasks.list(''))?.version, empty?.version, 'no other worker has it');
  const [a, b] = [script('a', '/v1/a'), script('b', '/v1/b')];
  set([a, b]);
  const both = await one.list(empty!.version);
  t.equal(both?.routes.length, 2);
  set([{ ...a }, { ...b }]); // what another change of the table makes of them
  t.equal(await one.list(both!.version), undefined);
  set([a, script('b', '/v1/b')]);
  t.ok(await one.list(both!.version));
  t.match(await one.list(''), { routes: [{ path: '/v1/a' }, { path: '/v1/b' }] });
});

t.test('databases', async (t) => {
  const { tasks: one, set } = tasks();
  set([script('a', '/v1/a'), script('b', '/v1/b', 'other'), script('c', '/v1/c', 'unknown')]);
  const aliases = (await one.list(''))?.routes.map(
    ({ path, script }) => `${path} ${script?.alias}`,
  );
  t.same(aliases, ['/v1/a main', '/v1/b other']);
});

t.test('conflicts', async (t) => {
  const { tasks: one, set, logged } = tasks();
  const conflict = [script('a', '/v1/{id}/a'), script('b', '/v1/{key}/a')];
  set(conflict);
  t.match((await one.list(''))?.routes, [{ script: undefined }]);
  set([...conflict, script('c', '/v1/c')]);
  await one.list('');
  t.equal(logged.length, 1, 'once');
  set([conflict[0]!]);
  await one.list('');
  set(conflict);
  await one.list('');
  t.equal(logged.length, 2, 'again after it was gone');
});
