/** Which script a method and a path reach, for tables of declared paths. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { RouteTrie } from '#app/serve/http/routes/route-trie.js';
import type { ScriptRoute } from '#app/messages/tasks.js';

/** `GET,HEAD /a/{b} = name`; without a name several scripts declare it. */
function route(text: string): ScriptRoute {
  const [methods = '', path = '', , name] = text.split(' ');
  const segments = path
    .slice(1)
    .split('/')
    .map((one) => (one.startsWith('{') ? { parameter: one.slice(1, -1) } : one));
  const script = name === undefined ? undefined : { alias: 'main', folder: 'f', name };
  return { methods: methods.split(','), path, segments, script };
}

/** The name of the script with the values, the Allow header, `none`, or the code of the error. */
function find(trie: RouteTrie, method: string, path: string): string {
  try {
    const found = trie.find(method, path.slice(1).split('/'));
    if (found === undefined) return 'none';
    if ('methods' in found)
      return `allow ${found.methods.join(',')} of ${found.scripts.map(({ name }) => name).join(',')}`;
    return [found.script.name, ...found.values.map((pair) => pair.join('='))].join(' ');
  } catch (error) {
    return (error as ServiceError).code;
  }
}

const SHOP = [
  'GET,HEAD /v1/orders = list',
  'POST /v1/orders = create',
  'GET,HEAD /v1/orders/{id} = detail',
  'DELETE /v1/orders/{number} = remove',
  'GET,HEAD /v1/orders/search = search',
  'GET,HEAD /v1/orders/{id}/lines/{line} = line',
  'GET,HEAD /v1/{kind}/{id}/lines = lines',
  'PUT,PATCH /v1/a/b/{c} = literals',
  'PUT,PATCH /v1/{a}/b/c = later',
  'GET,HEAD /v1/a|b/ü = decoded',
  'POST /v1/twice',
  'GET,HEAD /v1/twice = once',
  'DELETE /v1/hole/fixed',
  'DELETE /v1/hole/{any} = any',
  'GET /v1/__proto__/{constructor} = prototype',
];

const CASES: readonly (readonly [method: string, path: string, found: string])[] = [
  ['GET', '/', 'none'],
  ['GET', '/v1', 'none'],
  ['GET', '/nope', 'none'],
  ['GET', '/v1/orders/1/2', 'none'],
  ['GET', '/v1/orders/1/lines/2/3', 'none'],
  ['GET', `/v1${'/a'.repeat(1_000)}`, 'none'],
  ['GET', '/V1/orders', 'none'],
  ['GET', '/v1/toString', 'none'],
  ['GET', '/v1/orders/', 'none'],
  ['GET', '/v1/orders//lines/2', 'none'],
  ['GET', '/v1/%ff', 'none'],
  ['GET', '/v1/orders', 'list'],
  ['HEAD', '/v1/orders', 'list'],
  ['POST', '/v1/orders', 'create'],
  ['DELETE', '/v1/orders', 'allow GET,HEAD,POST of list,create'],
  ['OPTIONS', '/v1/orders', 'allow GET,HEAD,POST of list,create'],
  ['get', '/v1/orders', 'allow GET,HEAD,POST of list,create'],
  ['GET', '/v1/%6frders', 'list'],
  ['GET', '/v1/orders/1', 'detail id=1'],
  ['DELETE', '/v1/orders/1', 'remove number=1'],
  ['PUT', '/v1/orders/1', 'allow GET,HEAD,DELETE of detail,remove'],
  // literal text first, unless it leads to no script for the method
  ['GET', '/v1/orders/search', 'search'],
  ['GET', '/v1/orders/s%65arch', 'search'],
  ['DELETE', '/v1/orders/search', 'remove number=search'],
  ['POST', '/v1/orders/search', 'allow GET,HEAD,DELETE of search,remove'],
  ['GET', '/v1/orders/1/lines', 'lines kind=orders id=1'],
  ['GET', '/v1/orders/1/lines/2', 'line id=1 line=2'],
  ['PUT', '/v1/a/b/c', 'literals c=c'],
  ['PUT', '/v1/x/b/c', 'later a=x'],
  // values
  ['GET', '/v1/orders/a%2Fb', 'detail id=a%2Fb'],
  ['GET', '/v1/orders/a+b&c=d;e', 'detail id=a+b&c=d;e'],
  ['GET', '/v1/orders/%C3%BC', 'detail id=%C3%BC'],
  ['GET', '/v1/orders/ü', 'detail id=ü'],
  ['GET', '/v1/orders/%2e%2e%2f', 'detail id=%2e%2e%2f'],
  ['GET', `/v1/orders/${'9'.repeat(60_000)}`, `detail id=${'9'.repeat(60_000)}`],
  ['GET', '/v1/orders/%', 'invalid_path'],
  ['GET', '/v1/orders/%zz', 'invalid_path'],
  ['GET', '/v1/orders/%ff', 'invalid_path'],
  ['GET', '/v1/orders/%c0%ae', 'invalid_path'],
  ['GET', '/v1/orders/%ed%a0%80', 'invalid_path'],
  ['GET', '/v1/orders/a\uFFFD', 'invalid_path'],
  ['GET', '/v1/orders/a%00', 'invalid_path'],
  ['GET', '/v1/orders/1/lines/%', 'invalid_path'],
  ['GET', '/v1/orders/%EF%BF%BD', 'detail id=%EF%BF%BD'],
  ['GET', '/v1/a%7Cb/%c3%bc', 'decoded'],
  ['GET', '/v1/__proto__/x', 'prototype constructor=x'],
  // declared by several scripts
  ['POST', '/v1/twice', 'none'],
  ['GET', '/v1/twice', 'once'],
  ['DELETE', '/v1/twice', 'allow GET,HEAD of once'],
  ['DELETE', '/v1/hole/fixed', 'none'],
  ['DELETE', '/v1/hole/other', 'any any=other'],
  ['GET', '/v1/hole/fixed', 'allow DELETE of any'],
];

t.test('a table of paths', (t) => {
  const trie = new RouteTrie(SHOP.map(route));
  for (const [method, path, found] of CASES)
    t.equal(find(trie, method, path), found, `${method} ${path.slice(0, 40)}`);
  t.equal(find(new RouteTrie([]), 'GET', '/'), 'none');
  t.end();
});

t.test('the order of the routes does not matter', (t) => {
  const trie = new RouteTrie(SHOP.map(route).reverse());
  for (const [method, path, found] of CASES)
    if (!found.startsWith('allow')) t.equal(find(trie, method, path), found, `${method} ${path}`);
  t.end();
});

t.test('ten thousand paths', (t) => {
  const routes = Array.from({ length: 10_000 }, (_, i) => `GET,HEAD /v1/r${i}/{id} = s${i}`);
  const trie = new RouteTrie(routes.map(route));
  for (let i = 0; i < 10_000; i += 999) t.equal(find(trie, 'GET', `/v1/r${i}/7`), `s${i} id=7`);
  t.equal(find(trie, 'GET', '/v1/r10000/7'), 'none');
  t.end();
});
