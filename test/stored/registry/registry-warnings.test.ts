/** Scripts that are stored although there is something to warn about: in the answer, and in the log. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t);
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

const USES = {
  read_sql: 'SELECT {{sqlVal "header.X-Tenant"}}',
  delete_sql: 'DELETE FROM t WHERE tenant = {{sqlVal "header.X-Tenant"}}',
};
const WARNING = /^299 - "the script uses the request header X-Tenant: [^"]+"$/;

t.test('headers that lose bytes', async (t) => {
  const made = await registry.ask('POST /', { body: { location: 'a', name: 'b', ...USES } });
  t.match([made.status, made.headers['Warning']], [201, WARNING]);
  const put = await registry.ask('PUT /a/b?validate=false', { body: USES });
  t.match([put.status, put.headers['Warning']], [200, WARNING]);
  const checked = await registry.ask('PUT /a/b?validate=only', {
    body: { read_sql: USES.read_sql },
  });
  t.match([checked.status, checked.headers['Warning']], [200, WARNING]);
  const said = registry.logged.filter(({ level }) => level === 'warn');
  t.equal(said.length, 2, 'once for each change, for both texts');
  t.match(said[0], { script: 'a/b', user: 'ann', requestId: 'r1', msg: /X-Tenant/ });
  const plain = await registry.ask('PUT /a/b', { body: { read_sql: 'SELECT {{sqlVal "a"}}' } });
  t.equal(plain.headers['Warning'], undefined);
});

t.test('directives', async (t) => {
  const put = (text: string, query = ''): ReturnType<TestedRegistry['ask']> =>
    registry.ask(`PUT /a/directives${query}`, { body: { write_sql: `${text}\nSELECT 1` } });
  const bad = await put('-- About\n-- @status 404');
  t.match(bad, { status: 400 });
  t.match(bad.json, {
    code: 'invalid_template',
    error: /^write_sql: could not parse script a\/directives:2: @status: /,
    line: 2,
  });
  const unknown = await put('-- @ones');
  t.match(
    [unknown.status, unknown.headers['Warning']],
    [201, /^299 - "write_sql, line 1: unknown directive @ones, .* the nearest one is @one"$/],
  );
  t.match(registry.logged.at(-1), { level: 'warn', msg: /unknown directive @ones/ });
  const known = await put('-- @one', '?validate=false');
  t.match([known.status, known.headers['Warning']], [200, undefined]);
});
