/** Ids of operations: one for each, and the same whatever other scripts there are. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { describeScript } from '#app/describe/openapi/describe.js';
import { ownPaths } from '#app/describe/openapi/own-paths.js';
import { compileText } from '#app/script/script-text.js';
import type { Verb } from '#app/script/verb.js';

const CASES: readonly (readonly [
  alias: string,
  folder: string,
  name: string,
  verb: Verb,
  ids: string,
])[] = [
  ['', 'a', 'b', 'read', 'read_a_b'],
  ['', 'a', 'b', 'update', 'update_a_b patch_a_b'],
  ['', 'a', 'b_c', 'delete', 'delete_a_b_c'],
  ['', 'a_b', 'c', 'delete', 'delete_a_b.c'],
  ['', 'a_', '_b', 'write', 'write_a_._b'],
  ['x', 'a', 'b', 'write', 'write_x_a_b'],
  ['x_y', 'a', 'b', 'write', 'write_x_y.a_b'],
];

t.test('of paths under /_QUERIES', (t) => {
  for (const [alias, folder, name, verb, ids] of CASES)
    t.equal(idsOf(alias, folder, name, verb, '').join(' '), ids);
  t.end();
});

t.test('of own paths', (t) => {
  const head = '-- @path /p\n-- @path PATCH /q/{id}\n';
  t.same(idsOf('', 'a', 'b', 'update', head), [
    'updatePath_a_b',
    'patchPath_a_b',
    'patchPath2_a_b',
    'update_a_b',
    'patch_a_b',
  ]);
  t.end();
});

function idsOf(alias: string, folder: string, name: string, verb: Verb, head: string): unknown[] {
  const text = compileText(`${head}DELETE FROM t`, `${folder}/${name}`, verb);
  if (text instanceof ServiceError) throw text;
  const script = { alias: 'main', folder, name };
  const routes = text.head.routes.map((route) => ({ ...route, script }));
  const { operations } = describeScript(
    {
      alias: alias === '' ? undefined : alias,
      folder,
      name,
      text,
      proof: undefined,
      paths: ownPaths(routes, 'main').get(`${folder}/${name}`) ?? [],
      isNamed: true,
    },
    false,
  );
  return operations.map(({ description }) => description['operationId']);
}
