/** Proofs are kept until something in the catalogs of the database changes. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int, name text)' });
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

/** Statements that PostgreSQL was asked about. */
let described = 0;
const { database } = registry.database;
const describe = database.describe.bind(database);
database.describe = (...args) => {
  described++;
  return describe(...args);
};

const body = { read_sql: 'SELECT id FROM item WHERE name = {{sqlVal "name"}}' };

t.test('a broken script is accepted as soon as the database has what it needs', async (t) => {
  const wants = { read_sql: 'SELECT price FROM item' };
  t.match(await registry.error('PUT /v/new?validate=true', { body: wants }), /^400 42703: /);
  t.match(await registry.error('PUT /v/new?validate=true', { body: wants }), /^400 42703: /);
  await server.sql('ALTER TABLE item ADD price numeric');
  t.equal((await registry.ask('PUT /v/new?validate=true', { body: wants })).status, 201);
  await server.sql('ALTER TABLE item DROP price');
  t.match((await registry.ask('GET /v/new?proof')).json, { read: { verdict: 'broken' } });
});

t.test('the same text is proved once', async (t) => {
  t.equal((await registry.ask('PUT /v/rec?validate=true', { body })).status, 201);
  const [first, analysed] = [await registry.ask('GET /v/rec?proof'), described];
  t.notMatch(first.text, 'nullable', 'a proof that is not analysed is another one');
  await registry.ask('GET /v/rec?validate');
  t.equal(described, analysed);
  const before = described;
  await server.sql(`INSERT INTO item VALUES (1, 'x')`);
  t.match((await registry.ask('GET /v/rec?proof')).json, { read: { verdict: 'proved' } });
  t.equal((await registry.ask('PUT /v/rec?validate=true', { body })).status, 200);
  t.equal(described, before);
  await registry.ask('PUT /v/rec?validate=true&name=x', { body });
  t.ok(described > before, 'values are tried each time');
});

t.test('also when it is sent twice at a time', async (t) => {
  const own = { read_sql: `${body.read_sql} AND id = 1` };
  const before = described;
  await registry.ask('PUT /v/rec?validate=only', { body: own });
  const once = described - before;
  const other = { read_sql: `${body.read_sql} AND id = 2` };
  const send = () => registry.ask('PUT /v/rec?validate=only', { body: other });
  await Promise.all([send(), send(), send()]);
  t.equal(described - before, 2 * once);
});
