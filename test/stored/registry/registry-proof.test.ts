/** `?proof`: the proof of a stored script. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int, name text)' });
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

t.test('what it refuses', async (t) => {
  await registry.ask('PUT /v/rec', { body: { read_sql: 'SELECT 1' } });
  const cases: readonly (readonly [target: string, error: RegExp])[] = [
    ['GET /v/none?proof', /^404 query_not_found: /],
    ['GET /?proof', /^400 invalid_query_string: .*unknown parameter "proof"/],
    ['PUT /v/rec?proof', /^400 invalid_query_string: .*unknown parameter "proof"/],
    ['GET /v/rec?proof=maybe', /^400 invalid_query_string: .*proof must be true or false/],
    ['GET /v/rec?proof&history', /^400 invalid_query_string: .*together/],
    ['GET /v/rec?proof&validate', /^400 invalid_query_string: .*together/],
    ['GET /v/rec?proof&id=1', /^400 invalid_query_string: .*unknown parameter "id"/],
    ['GET /v/rec?proof=false', /^200 \{"id":/],
  ];
  for (const [target, error] of cases) {
    const body = target.startsWith('PUT') ? { body: { read_sql: 'SELECT 1' } } : {};
    t.match(await registry.error(target, body), error, target);
  }
  const stale = await registry.ask('GET /v/rec?proof', { ifMatch: '"other"' });
  t.equal(stale.status, 412);
});

t.test('a value for a parameter of that name is still one', async (t) => {
  const body = { read_sql: 'SELECT {{.proof}} FROM item' };
  const { json } = await registry.ask('PUT /v/rec?validate=only&proof=nope', { body });
  t.match(json, { error: 'column "nope" does not exist' });
});

t.test('texts that are broken, or no templates', async (t) => {
  await server.sql(
    `INSERT INTO service_queries (location, name, read_sql, write_sql, delete_sql)
     VALUES ('v', 'bad', 'SELECT nope FROM item', 'SELECT {{', 'DELETE FROM item')`,
  );
  const { status, json } = await registry.ask('GET /v/bad?proof');
  t.equal(status, 200);
  t.strictSame(Object.keys(json as object), ['read', 'write', 'delete']);
  t.match(json, {
    read: {
      verdict: 'broken',
      findings: [
        { message: 'column "nope" does not exist', code: '42703', line: 1, column: 8, when: 'always' }, // prettier-ignore
      ],
    },
    write: {
      verdict: 'broken',
      findings: [
        { message: /^write_sql: could not parse script v\/bad:1:\d+: /, code: 'invalid_template', line: 1, when: 'always' }, // prettier-ignore
      ],
      parameters: [],
    },
    delete: { verdict: 'proved', findings: [], open: [] },
  });
});

t.test('parameters and columns, on the database of the script', async (t) => {
  const body = {
    read_sql: `SELECT id, name FROM item WHERE id = {{sqlVal "id"}} {{if eq .by "name"}}ORDER BY name{{end}}`,
  };
  await registry.ask('PUT /v/good', { body });
  const tag = (await registry.ask('GET /v/good')).headers['ETag']!;
  const { status, json, headers } = await registry.ask('GET /v/good?proof', { ifNoneMatch: tag });
  t.equal(status, 200, 'a proof may change while its script does not');
  t.strictSame(headers, {});
  const { read } = json as { read: Record<string, unknown> };
  t.match(read, {
    verdict: 'proved',
    findings: [],
    open: [],
    parameters: [
      { name: 'id', required: false, types: ['integer'] },
      { name: 'by', values: ['name'], types: [] },
    ],
  });
  t.match(read['columns'], [
    [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
    ],
  ]);
  t.equal((await registry.send('HEAD /v/good?proof')).status, 200);
});
