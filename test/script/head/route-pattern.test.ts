/** The text of `-- @path`: methods, literal segments, parameters, and what is refused. */
import t from 'tap';
import { parseRoute } from '#app/script/head/route-pattern.js';

const READ = ['GET', 'HEAD'];
const UPDATE = ['PUT', 'PATCH'];

function problemOf(text: string): string {
  try {
    return `valid: ${JSON.stringify(parseRoute(text, READ))}`;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

t.test('invalid paths', (t) => {
  for (const [text, reason] of [
    ['', 'the path is missing'],
    ['GET', 'the path GET does not begin with a slash'],
    ['v1/orders', 'does not begin with a slash'],
    ['/v1/orders an order', 'the path order does not begin with a slash'],
    ['POST /v1/orders', "the method POST is none of this script's, which are GET, HEAD"],
    ['GET,DELETE /v1/orders', 'the method DELETE is none'],
    ['/', 'has an empty segment'],
    ['/v1/', 'has an empty segment'],
    ['/v1//orders', 'has an empty segment'],
    [`/a${'/b'.repeat(16)}`, 'has more than 16 segments'],
    [`/${'a'.repeat(1_024)}`, 'is longer than 1024 characters'],
    ['/v1/{}', 'has the invalid parameter name {}'],
    ['/v1/{a b}', 'does not begin with a slash'],
    ['/v1/{a.b}', 'has the invalid parameter name {a.b}'],
    ['/v1/{{id}}', 'has the invalid parameter name {{id}}'],
    ['/v1/{_page}', 'has the invalid parameter name {_page}'],
    ['/v1/{header}', 'has the invalid parameter name {header}'],
    ['/v1/{body}', 'has the invalid parameter name {body}'],
    ['/v1/{id}/lines/{id}', 'has the parameter {id} twice'],
    ['/v1/order-{id}', 'has order-{id}: a parameter is a whole segment'],
    ['/v1/{id', 'has {id: a parameter is a whole segment'],
    ['/v1/:id', 'has :id: a parameter is written {name}'],
    ['/v1/*', 'has a wildcard'],
    ['/v1/a?b=1', 'has a query string or fragment'],
    ['/v1/a#b', 'has a query string or fragment'],
    ['/v1/a"b', 'has a"b: percent-encode its special characters'],
    ['/v1/a\\b', 'percent-encode its special characters'],
    ['/v1/a%2', 'has a%2: the percent-encoding is invalid'],
    ['/v1/%ff', 'has %ff: the percent-encoding is invalid'],
    ['/v1/%00', 'has %00: the percent-encoding is invalid'],
    ['/v1/..', 'has a dot segment'],
    ['/v1/%2e%2E/a', 'has a dot segment'],
    ['/{id}', 'would match built-in routes such as /databases'],
    ['/{tenant}/orders', 'would match built-in routes such as /databases'],
    ['/_QUERIES/a/b', 'belongs to the built-in route /_QUERIES'],
    ['/_anything', 'belongs to the built-in route /_anything'],
    ['/auth', 'belongs to the built-in route /auth'],
    ['/auth/me', 'belongs to the built-in route /auth'],
    ['/%61uth', 'belongs to the built-in route /auth'],
    ['/databases', 'belongs to the built-in route /databases'],
    ['/schemas/a', 'belongs to the built-in route /schemas'],
    ['/tables', 'belongs to the built-in route /tables'],
    ['/.well-known/a', 'belongs to the built-in route /.well-known'],
    ['/metrics', 'belongs to the built-in route /metrics'],
    ['/openapi.json', 'belongs to the built-in route /openapi.json'],
    ['/docs/a', 'belongs to the built-in route /docs'],
  ] as const)
    t.ok(
      problemOf(text).includes(reason),
      `${text.slice(0, 40)}: ${problemOf(text).slice(0, 200)}`,
    );
  t.end();
});

t.test('segments', (t) => {
  for (const [path, segments] of [
    ['/orders', ['orders']],
    ['/v1/orders/{id}', ['v1', 'orders', { parameter: 'id' }]],
    ['/v1/{a}/{b-c}/{größe}', ['v1', ...['a', 'b-c', 'größe'].map((parameter) => ({ parameter }))]],
    ['/v1/a%20b/%c3%bc/ü', ['v1', 'a b', 'ü', 'ü']],
    ['/v1/a%2Fb/%2A', ['v1', 'a/b', '*']],
    ["/v1/a.b~c!$&'()+;=:@d", ['v1', "a.b~c!$&'()+;=:@d"]],
    ['/Auth/docs', ['Auth', 'docs']],
    [`/a${'/b'.repeat(15)}`, ['a', ...Array<string>(15).fill('b')]],
  ] as const)
    t.same(parseRoute(path, READ), { methods: READ, path, segments });
  t.end();
});

t.test('methods', (t) => {
  for (const [text, verb, methods] of [
    ['/a', READ, ['GET', 'HEAD']],
    ['GET /a', READ, ['GET', 'HEAD']],
    ['get /a', READ, ['GET', 'HEAD']],
    ['HEAD /a', READ, ['HEAD']],
    ['HEAD GET /a', READ, ['HEAD', 'GET']],
    ['/a', UPDATE, ['PUT', 'PATCH']],
    ['PATCH /a', UPDATE, ['PATCH']],
    ['PUT,PATCH /a', UPDATE, ['PUT', 'PATCH']],
    ['  PUT, PATCH   /a  ', UPDATE, ['PUT', 'PATCH']],
    ['POST /a', ['POST'], ['POST']],
    ['DELETE /a', ['DELETE'], ['DELETE']],
  ] as const)
    t.same(parseRoute(text, verb).methods, methods, `${text} of ${verb.join(', ')}`);
  t.end();
});
