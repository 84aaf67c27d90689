/** Primary and foreign keys, in both directions, as far as a caller may know their tables and columns. */
import t from 'tap';
import type { ForeignKey, TableKeys } from '#app/mcp/tables/table.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import { startPostgres } from '../../support/postgres.js';
import { Clock } from '../clock.js';
import { OPEN, TestedCatalog, type Caller } from '../tested-catalog.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE clerk;
    CREATE TABLE customer (id int PRIMARY KEY, name text);
    CREATE TABLE person (id int PRIMARY KEY, boss int REFERENCES person);
    CREATE TABLE line (id int, part int, PRIMARY KEY (part, id));
    CREATE TABLE sale (id int PRIMARY KEY, buyer int CONSTRAINT b REFERENCES customer, payer int CONSTRAINT p REFERENCES customer,
      line_part int, line_id int, CONSTRAINT a FOREIGN KEY (line_part, line_id) REFERENCES line (part, id));
    CREATE TABLE visit (id int, at int, customer int REFERENCES customer) PARTITION BY LIST (at);
    CREATE TABLE visit_1 PARTITION OF visit FOR VALUES IN (1);
    CREATE TABLE day (id int, at int, PRIMARY KEY (id, at)) PARTITION BY LIST (at);
    CREATE TABLE day_1 PARTITION OF day FOR VALUES IN (1);
    CREATE TABLE hour (day int, at int, FOREIGN KEY (day, at) REFERENCES day);
    CREATE VIEW buyers AS SELECT * FROM customer;
    CREATE TABLE note (body text);
    GRANT SELECT ON sale, line TO clerk;
    GRANT SELECT (id) ON customer TO clerk;
    GRANT SELECT (id) ON person TO clerk;
    GRANT SELECT (part) ON line TO clerk; REVOKE SELECT ON line FROM clerk; GRANT SELECT (part) ON line TO clerk`,
});
const tested = new TestedCatalog(t, postgres);

function text({ table, columns, referenced, references }: ForeignKey): string {
  const side = (name: string, all: ForeignKey['columns']): string =>
    `${name} (${all.map((one) => one.name).join(', ')})`;
  return `${side(table.name, columns)} -> ${side(referenced.name, references)}`;
}

function texts({ primaryKey, foreignKeys, referencedBy }: TableKeys): object {
  return {
    primary: primaryKey.map(({ name }) => name),
    out: foreignKeys.map(text),
    in: referencedBy.map(text),
  };
}

async function keysOf(name: string, caller: Caller = {}, catalog = tested): Promise<object> {
  const visible = await catalog.tables(caller);
  return texts(visible.keysOf(visible.find('public', name)!));
}

for (const [name, primary, outward, inward] of [
  [
    'sale',
    ['id'],
    [
      'sale (line_part, line_id) -> line (part, id)',
      'sale (buyer) -> customer (id)',
      'sale (payer) -> customer (id)',
    ],
    [],
  ],
  [
    'customer',
    ['id'],
    [],
    [
      'sale (buyer) -> customer (id)',
      'sale (payer) -> customer (id)',
      'visit (customer) -> customer (id)',
    ],
  ],
  ['line', ['part', 'id'], [], ['sale (line_part, line_id) -> line (part, id)']],
  ['person', ['id'], ['person (boss) -> person (id)'], ['person (boss) -> person (id)']],
  ['visit', [], ['visit (customer) -> customer (id)'], []],
  ['visit_1', [], ['visit_1 (customer) -> customer (id)'], []],
  ['hour', [], ['hour (day, at) -> day (id, at)'], []],
  ['day', ['id', 'at'], [], ['hour (day, at) -> day (id, at)']],
  ['day_1', ['id', 'at'], [], []],
  ['buyers', [], [], []],
  ['note', [], [], []],
] as const)
  t.test(name, async (t) => {
    t.strictSame(await keysOf(name), { primary, out: outward, in: inward });
  });

t.test('a role that may not read all tables and columns', async (t) => {
  const clerk = { role: 'clerk' };
  t.strictSame(await keysOf('sale', clerk), {
    primary: ['id'],
    out: ['sale (buyer) -> customer (id)', 'sale (payer) -> customer (id)'],
    in: [],
  });
  t.strictSame(await keysOf('customer', clerk), {
    primary: ['id'],
    out: [],
    in: ['sale (buyer) -> customer (id)', 'sale (payer) -> customer (id)'],
  });
  t.strictSame(await keysOf('line', clerk), { primary: [], out: [], in: [] });
  t.strictSame(await keysOf('person', clerk), { primary: ['id'], out: [], in: [] });
});

t.test('a caller whose columns are restricted', async (t) => {
  const entry = (name: string, fields: string[]): TableAccessSettings['tables'][number] => ({
    name,
    permissions: ['read'],
    fields,
  });
  const access: TableAccessSettings = {
    ...OPEN,
    restrict: true,
    tables: [entry('sale', ['id', 'buyer']), entry('customer', ['*']), entry('person', ['boss'])],
  };
  const restricted = new TestedCatalog(t, postgres, { access });
  t.strictSame(await keysOf('sale', {}, restricted), {
    primary: ['id'],
    out: ['sale (buyer) -> customer (id)'],
    in: [],
  });
  t.strictSame(await keysOf('customer', {}, restricted), {
    primary: ['id'],
    out: [],
    in: ['sale (buyer) -> customer (id)'],
  });
  t.strictSame(await keysOf('person', {}, restricted), { primary: [], out: [], in: [] });
});

t.test('changes of keys are seen', async (t) => {
  const clock = new Clock(t);
  const out = async (name: string): Promise<unknown> => {
    clock.skip(10_000);
    const visible = await tested.renewed();
    return texts(visible.keysOf(visible.find('public', name)!));
  };
  await postgres.sql('ALTER TABLE note ADD COLUMN customer int');
  t.match(await out('note'), { out: [] });
  await postgres.sql(
    'ALTER TABLE note ADD CONSTRAINT c FOREIGN KEY (customer) REFERENCES customer',
  );
  t.match(await out('note'), { out: ['note (customer) -> customer (id)'] });
  await postgres.sql('ALTER TABLE customer RENAME TO client');
  t.match(await out('note'), { out: ['note (customer) -> client (id)'] });
  await postgres.sql('ALTER TABLE client RENAME COLUMN id TO number');
  t.match(await out('note'), { out: ['note (customer) -> client (number)'] });
  await postgres.sql('ALTER TABLE note DROP CONSTRAINT c');
  t.match(await out('note'), { out: [] });
  await postgres.sql('ALTER TABLE note ADD PRIMARY KEY (customer)');
  t.match(await out('note'), { primary: ['customer'] });
});
