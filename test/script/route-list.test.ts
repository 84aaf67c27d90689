/** The routes of scripts, and paths that two of them declare. */
import t from 'tap';
import { parseRoute } from '#app/script/head/route-pattern.js';
import { routesOf } from '#app/script/route-list.js';
import type { RoutedScript } from '#app/script/scripts.js';
import { methodsOf, VERBS } from '#app/script/verb.js';

/** `[alias:]folder/name verb`, and its paths. */
function script(what: string, ...paths: string[]): RoutedScript {
  const [, alias, folder, name, verb] = /^(?:(.+):)?(.+)\/(.+) (.+)$/.exec(what) as unknown as [string, string | undefined, string, string, string]; // prettier-ignore
  const known = VERBS.find((one) => one === verb)!;
  return { alias, folder, name, verb: known, routes: paths.map((path) => parseRoute(path, methodsOf(known))) }; // prettier-ignore
}

/** Routes as `GET,HEAD /a/{id} = alias:folder/name`; without a script, `none serves it`. */
function routes(...scripts: RoutedScript[]): { served: string[]; conflicts: string[] } {
  const { routes, conflicts } = routesOf(scripts, 'main');
  const served = routes.map(({ methods, segments, script }) => {
    const path = segments.map((one) => (typeof one === 'string' ? one : `{${one.parameter}}`));
    const name = script ? `${script.alias}:${script.folder}/${script.name}` : 'none serves it';
    return `${methods.join(',')} /${path.join('/')} = ${name}`;
  });
  return { served, conflicts: conflicts.map(({ message }) => message) };
}

t.test('a text that cannot be used takes no path from another one', (t) => {
  const broken = { ...script('shop/a read', '/v1/x', '/v1/y'), broken: true };
  const other = { ...script('shop/c read', '/v1/{id}', '/v1/y'), broken: true };
  t.same(routes(broken, script('shop/b read', '/v1/x'), other), {
    served: [
      'GET,HEAD /v1/x = main:shop/b',
      'GET,HEAD /v1/y = main:shop/a',
      'GET,HEAD /v1/{id} = main:shop/c',
    ],
    conflicts: [],
  });
  t.end();
});

t.test('no conflict', (t) => {
  t.same(routes(), { served: [], conflicts: [] });
  t.same(
    routes(
      script('shop/list read', '/v1/orders', '/v2/orders'),
      script('shop/create write', '/v1/orders'),
      script('shop/detail read', '/v1/orders/{id}'),
      script('shop/search read', '/v1/orders/search'),
      script('shop/search update', '/v1/orders/{id}'),
      script('shop/remove delete', '/v1/orders/{number}'),
      script('other:shop/list read', '/v1/other'),
      script('shop/put update', 'PUT /v1/halves'),
      script('shop/patch update', 'PATCH /v1/halves'),
      script('shop/literal read', '/v1/orders/%7B%7D'),
      script('shop/again read', '/v1/again', '/v1/again', '/v1/%61gain'),
    ),
    {
      served: [
        'GET,HEAD /v1/orders = main:shop/list',
        'GET,HEAD /v2/orders = main:shop/list',
        'POST /v1/orders = main:shop/create',
        'GET,HEAD /v1/orders/{id} = main:shop/detail',
        'GET,HEAD /v1/orders/search = main:shop/search',
        'PUT,PATCH /v1/orders/{id} = main:shop/search',
        'DELETE /v1/orders/{number} = main:shop/remove',
        'GET,HEAD /v1/other = other:shop/list',
        'PUT /v1/halves = main:shop/put',
        'PATCH /v1/halves = main:shop/patch',
        'GET,HEAD /v1/orders/{} = main:shop/literal',
        'GET,HEAD /v1/again = main:shop/again',
      ],
      conflicts: [],
    },
  );
  t.end();
});

t.test('conflicts', (t) => {
  const cases: [what: string, scripts: RoutedScript[], served: string[], conflicts: string[]][] = [
    [
      'the same path',
      [script('shop/a read', '/v1/x'), script('shop/b read', '/v1/x')],
      ['GET,HEAD /v1/x = none serves it'],
      ['GET, HEAD /v1/x is declared by shop/a (read), and by shop/b (read): neither serves it, change one of the two'],
    ],
    [
      'names of parameters make no other path',
      [script('shop/a delete', '/v1/{id}'), script('shop/b delete', '/v1/{key}')],
      ['DELETE /v1/{id} = none serves it'],
      ['DELETE /v1/{id} is declared by shop/a (delete), and by shop/b (delete) as /v1/{key}: neither serves it, change one of the two'],
    ],
    [
      'of one script',
      [script('shop/a delete', '/v1/{id}', '/v1/{key}')],
      ['DELETE /v1/{id} = none serves it'],
      ['DELETE /v1/{id} is declared by shop/a (delete), and by shop/a (delete) as /v1/{key}: neither serves it, change one of the two'],
    ],
    [
      'one method only',
      [script('shop/a update', '/v1/x'), script('shop/b update', 'PATCH /v1/%78')],
      ['PUT /v1/x = main:shop/a', 'PATCH /v1/x = none serves it'],
      ['PATCH /v1/x is declared by shop/a (update), and by shop/b (update) as /v1/%78: neither serves it, change one of the two'],
    ],
    [
      'two databases',
      [script('shop/a write', '/v1/x'), script('other:shop/a write', '/v1/x')],
      ['POST /v1/x = none serves it'],
      ['POST /v1/x is declared by shop/a (write), and by other/shop/a (write): neither serves it, change one of the two'],
    ],
    [
      'three scripts',
      [1, 2, 3].map((i) => script(`shop/s${i} write`, '/v1/x', `/v1/own${i}`)),
      ['POST /v1/x = none serves it', ...[1, 2, 3].map((i) => `POST /v1/own${i} = main:shop/s${i}`)],
      [2, 3].map((i) => `POST /v1/x is declared by shop/s1 (write), and by shop/s${i} (write): neither serves it, change one of the two`),
    ],
  ]; // prettier-ignore
  for (const [what, scripts, served, conflicts] of cases)
    t.same(routes(...scripts), { served, conflicts }, what);
  t.end();
});
