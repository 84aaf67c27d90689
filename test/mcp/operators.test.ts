/** Values are compared as their type is compared, also a type of an extension in a schema that is not searched. */
import t from 'tap';
import { callOf, read, startToolDatabase } from './arguments/tool-database.js';

const db = await startToolDatabase(t, {
  setup: `
    CREATE SCHEMA ext; CREATE EXTENSION citext SCHEMA ext; CREATE DOMAIN public.email AS ext.citext;
    CREATE TABLE person (name ext.citext PRIMARY KEY, mail email, born date);
    CREATE TABLE visit (id int PRIMARY KEY, person ext.citext REFERENCES person);
    INSERT INTO person VALUES ('Ann', 'ANN@example.org', '1990-01-01'), ('bob', NULL, NULL);
    INSERT INTO visit VALUES (1, 'ANN'), (2, 'ann'), (3, 'BOB')`,
});

const names = async (filters: object): Promise<unknown> => {
  const args = { table: 'person', columns: ['name'], filters, order_by: 'name' };
  const { rows } = read(await db.run('service.select_table', args, callOf()));
  return (rows as { name: string }[]).map(({ name }) => name);
};

t.test('filters', async (t) => {
  t.strictSame(await names({ name: 'aNN' }), ['Ann']);
  t.strictSame(await names({ name: { '!=': 'ANN' } }), ['bob']);
  t.strictSame(await names({ name: ['ANN', 'BOB'] }), ['Ann', 'bob']);
  t.strictSame(await names({ name: { '>=': 'B' } }), ['bob']);
  t.strictSame(await names({ mail: 'ann@EXAMPLE.org' }), ['Ann'], 'a domain');
});

t.test('related rows and joins', async (t) => {
  const args = {
    table: 'person',
    columns: ['name'],
    filters: { name: 'ann' },
    include: { visit: ['id'] },
  };
  t.match(read(await db.run('service.select_table', args, callOf())).rows, [
    { name: 'Ann', visit: [{ id: 1 }, { id: 2 }] },
  ]);
  const grouped = {
    table: 'visit',
    group_by: ['person.born'],
    aggregates: [{ function: 'count' }, { function: 'min', column: 'person', as: 'least' }],
    having: { least: { '>': 'A' } },
  };
  t.match(read(await db.run('service.aggregate_table', grouped, callOf())).rows, [
    { count: 2 },
    { count: 1 },
  ]);
});
