/** Lists of databases, schemas and tables, and descriptions: everything that the caller may see, in pages. */
import t from 'tap';
import { databasesJson, descriptionJson, schemasJson, tablesJson } from '#app/mcp/listings.js';
import { TableSet } from '#app/mcp/table-set.js';
import type { TableCatalog, Column, Table, VisibleTables } from '#app/mcp/table.js';
import { column, tableOf } from './tested-table.js';

const COLUMN = column('id', {
  type: 'integer',
  kind: 'integer',
  nullable: false,
  maxLength: '32',
  defaultValue: "nextval('item_id_seq'::regclass)",
});

function table(schema: string, name: string, columns: readonly Column[] = [COLUMN]): Table {
  return tableOf(columns, { schema, name, owner: 'ann' });
}

function visible(tables: readonly Table[]): VisibleTables {
  return new TableSet(tables);
}

const FEW = visible([table('a', 'x'), table('b', 'y'), table('b', 'z')]);

t.test('databases', (t) => {
  const databases = [
    { alias: 'main', database: 'shop' },
    { alias: 'other "one"', database: 'elsewhere' },
  ];
  const catalog: TableCatalog = {
    databases,
    visible: () => FEW,
    renewed: () => Promise.resolve(FEW),
  };
  t.strictSame(JSON.parse(databasesJson({}, catalog)), {
    databases: [
      { name: 'main', datname: 'main', physical_name: 'shop' },
      { name: 'other "one"', datname: 'other "one"', physical_name: 'elsewhere' },
    ],
  });
  t.end();
});

t.test('schemas', (t) => {
  t.equal(schemasJson({}, FEW), '{"schemas":[{"schema_name":"a"},{"schema_name":"b"}]}');
  t.equal(schemasJson({}, visible([])), '{"schemas":[]}');
  t.end();
});

t.test('tables', (t) => {
  t.strictSame(JSON.parse(tablesJson({}, FEW)), {
    tables: [
      { name: 'x', owner: 'ann', schema: 'a', type: 'table' },
      { name: 'y', owner: 'ann', schema: 'b', type: 'table' },
      { name: 'z', owner: 'ann', schema: 'b', type: 'table' },
    ],
  });
  t.equal((JSON.parse(tablesJson({ schema: 'b' }, FEW)) as { tables: unknown[] }).tables.length, 2);
  t.equal(tablesJson({ schema: 'nope' }, FEW), '{"tables":[]}');
  t.throws(() => tablesJson({ schema: 1 }, FEW), {
    name: 'ArgumentError',
    message: 'schema must be a string, not 1.',
  });
  t.throws(() => tablesJson({ limit: 0 }, FEW), {
    message: 'limit must be a whole number from 1 on (more than 1000 is 1000), not 0.',
  });
  t.end();
});

t.test('thousands of tables', (t) => {
  const many = visible(Array.from({ length: 2_500 }, (_, i) => table('s', `t${i}`)));
  const names: string[] = [];
  let offset: number | undefined = 0;
  let pages = 0;
  while (offset !== undefined) {
    const page = JSON.parse(tablesJson({ limit: 5_000, offset }, many)) as {
      tables: { name: string }[];
      count?: number;
      truncated?: boolean;
      next_offset?: number;
    };
    names.push(...page.tables.map(({ name }) => name));
    t.equal(page.truncated, page.next_offset === undefined ? undefined : true);
    t.equal(page.count, page.truncated && page.tables.length);
    offset = page.next_offset;
    pages++;
  }
  t.equal(pages, 3);
  t.strictSame(
    names,
    many.tables.map(({ name }) => name),
  );
  t.equal(tablesJson({ offset: 2_500 }, many), '{"tables":[]}');
  t.end();
});

t.test('a description', (t) => {
  const mood: Column = {
    ...COLUMN,
    name: 'mood',
    type: 'mood',
    kind: 'enum',
    labels: ['sad', 'glad'],
    position: 3,
    nullable: true,
    maxLength: undefined,
    generated: true,
    updatable: false,
    defaultValue: undefined,
    description: 'how "it" is',
  };
  const { json } = {
    json: descriptionJson({ ...table('a', 'x', [COLUMN, mood]), description: 'All of them' }),
  };
  t.equal(
    json,
    '{"database":"main","schema":"a","table":"x","description":"All of them","columns":[' +
      '{"name":"id","data_type":"integer","nullable":false,"max_length":"32","updatable":true,' +
      `"default_value":"nextval('item_id_seq'::regclass)","position":1},` +
      '{"name":"mood","data_type":"mood","nullable":true,"generated":true,"position":3,' +
      '"description":"how \\"it\\" is","values":["sad","glad"]}],"count":2}',
  );
  t.end();
});
