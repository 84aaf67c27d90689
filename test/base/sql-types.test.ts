/** The table of types, compared with the catalog and with what to_json writes. */
import t from 'tap';
import { fullType, sqlType, sqlTypeOf } from '#app/base/sql-types.js';
import { startPostgres } from '../support/postgres.js';

const postgres = await startPostgres(t, { setup: "CREATE TYPE mood AS ENUM ('ok')" });

interface Row {
  readonly oid: number;
  readonly name: string;
  readonly list: boolean;
}

t.test('names and OIDs are those of the catalog, and no type is an array', async (t) => {
  const rows = await postgres.sql<Row>(
    `SELECT oid::int, format_type(oid, NULL) AS name, typlen = -1 AND typelem <> 0 AS list FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype <> 'c'`,
  );
  let known = 0;
  for (const { oid, name, list } of rows) {
    const type = sqlTypeOf(oid);
    if (type !== undefined) known++;
    if (type !== undefined) t.equal(type.name, name);
    const named = sqlType(name);
    if (named !== undefined) t.equal(named.name, name);
    if (list) t.notOk(named, name);
  }
  t.equal(known, 30);
});

t.test('other names of SQL', async (t) => {
  const names = [
    ...['bool', 'int2', 'int', 'int4', 'int8', 'decimal', 'float', 'float4', 'float8', 'text'],
    ...['time', 'timetz', 'timestamp', 'timestamptz', 'varchar', 'char', 'varbit', 'mood'],
    ...['timestamp(3) with time zone', 'pg_catalog.numeric(10,2)', 'varchar(5)[]'],
  ];
  for (const name of names) {
    const [row] = await postgres.sql<{ full: string }>(
      'SELECT format_type(to_regtype($1), NULL) AS full',
      [name],
    );
    t.equal(fullType(name), row!.full, name);
  }
});

t.test('JSON', async (t) => {
  const values: Readonly<Record<string, string>> = {
    boolean: 'true',
    smallint: '1',
    integer: '1',
    bigint: '1',
    numeric: '1.5',
    real: '1.5',
    'double precision': '1.5',
    uuid: '00000000-0000-0000-0000-000000000000',
    date: '2024-01-01',
    interval: '1 day',
    'time with time zone': '12:00Z',
    'timestamp without time zone': '2024-01-01',
    'timestamp with time zone': '2024-01-01',
    money: '1',
    oid: '1',
    bytea: 'a',
    xid8: '1',
    cid: '1',
    'bit varying': '1',
    regtype: 'int',
    refcursor: 'a',
    void: '',
  };
  for (const [name, value] of Object.entries(values)) {
    const json = `json_typeof(to_json('${value}'::${name}))`;
    const [row] = await postgres.sql<{ json: string }>(`SELECT ${json} AS json`);
    const expected = sqlType(name)!.json;
    t.equal(row!.json, expected === 'integer' ? 'number' : expected, name);
  }
  for (const name of ['numeric', 'real', 'double precision']) {
    const [row] = await postgres.sql<{ json: string }>(
      `SELECT json_typeof(to_json('NaN'::${name})) AS json`,
    );
    t.equal(row!.json, 'string', `${name}: NaN`);
  }
});
