/** Scripts with paths of their own in the registry: one that another script has is refused. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t);
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

const path = (text: string): string => `-- @path ${text}\nSELECT 1`;

/** The status, and what the answer says of paths. */
async function put(target: string, body: Readonly<Record<string, string>>): Promise<string> {
  const { status, json } = await registry.ask(`PUT ${target}`, { body });
  const { error = '' } = json as { error?: string };
  return `${status} ${error}`.trim();
}

t.test('paths that another script has', async (t) => {
  const cases: [target: string, body: Record<string, string>, answer: string][] = [
    ['/shop/a', { read_sql: path('/v1/x/{id}'), write_sql: path('/v1/x/{id}') }, '201'],
    ['/shop/a', { read_sql: path('/v1/x/{key}') }, '200'],
    [
      '/shop/b',
      { read_sql: path('/v1/x/{id}') },
      '400 read_sql: GET, HEAD /v1/x/{key} is declared by shop/a (read), and by shop/b (read) as /v1/x/{id}: neither serves it, change one of the two',
    ],
    ['/shop/b', { write_sql: path('/v1/x/{id}') }, '201'],
    [
      '/shop/b',
      { delete_sql: `-- @path /v1/y/{a}\n${path('/v1/y/{b}')}` },
      '400 delete_sql: DELETE /v1/y/{a} is declared by shop/b (delete), and by shop/b (delete) as /v1/y/{b}: neither serves it, change one of the two',
    ],
    // On the default database its own record hides the one for all.
    ['/main/shop/a', { read_sql: path('/v1/x/{id}') }, '201'],
    ['/shop/a', { read_sql: path('/v1/x/{id}') }, '200'],
    [
      '/main/shop/c',
      { write_sql: path('/v1/x/{id}'), read_sql: 'SELECT 1' },
      '400 write_sql: POST /v1/x/{id} is declared by shop/b (write), and by main/shop/c (write): neither serves it, change one of the two',
    ],
  ];
  for (const [target, body, answer] of cases) t.equal(await put(target, body), answer, target);
});

t.test('a path that no script can have', async (t) => {
  t.match(
    await put('/shop/d', { read_sql: path('/auth') }),
    /^400 .*belongs to the built-in route/,
  );
});
