/** The catalog of a database: every kind of relation and column, with unusual names. */
import t from 'tap';
import type { Column } from '#app/mcp/tables/table.js';
import { startPostgres } from '../../support/postgres.js';
import { namesIn, TestedCatalog } from '../tested-catalog.js';

const LONG = 'x'.repeat(63);
const ODD = [
  'two words',
  'a.b',
  'say "hi"',
  "it's",
  'select',
  'Upper',
  'größe',
  '表',
  '😀',
  '～', // sorts after the previous one in UTF-16 only
  'back\\slash',
  'line\nbreak',
  '-minus',
  '__proto__',
  '{"json":1}',
  LONG,
];
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const postgres = await startPostgres(t, {
  setup: `
    CREATE EXTENSION postgres_fdw;
    CREATE SERVER away FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1');
    CREATE FOREIGN DATA WRAPPER idle;
    CREATE SERVER nothing FOREIGN DATA WRAPPER idle;
    CREATE SCHEMA kinds;
    CREATE TABLE kinds.plain (id int);
    COMMENT ON TABLE kinds.plain IS 'What it is';
    CREATE TABLE kinds.parted (id int) PARTITION BY RANGE (id);
    CREATE TABLE kinds.part PARTITION OF kinds.parted FOR VALUES FROM (0) TO (10);
    CREATE VIEW kinds.view AS SELECT id, id + 1 AS next FROM kinds.plain;
    CREATE MATERIALIZED VIEW kinds.kept AS SELECT 1 AS one;
    CREATE FOREIGN TABLE kinds.far (id int) SERVER away;
    CREATE FOREIGN TABLE kinds.handlerless (id int) SERVER nothing;
    CREATE FUNCTION gone() RETURNS int LANGUAGE SQL AS 'SELECT 1';
    CREATE TABLE kinds.broken (id int DEFAULT gone());
    DELETE FROM pg_proc WHERE proname = 'gone';
    CREATE SEQUENCE kinds.counter;
    CREATE TYPE kinds.pair AS (a int, b text);
    CREATE INDEX plain_id ON kinds.plain (id);
    CREATE UNLOGGED TABLE kinds.unlogged (id int);
    CREATE TABLE kinds.empty ();
    CREATE TABLE kinds.emptied (gone int);
    ALTER TABLE kinds.emptied DROP COLUMN gone;
    CREATE TEMPORARY TABLE passing (id int);

    CREATE SCHEMA odd;
    ${ODD.map((name) => `CREATE TABLE odd.${quoted(name)} (${quoted(name)} int);`).join('\n')}
    ${ODD.map((name, i) => `CREATE SCHEMA ${quoted(`s${i}${name}`.slice(0, 63))};`).join('\n')}

    CREATE SCHEMA columns;
    CREATE TYPE columns.mood AS ENUM ('sad', 'it''s "ok"', 'glad');
    CREATE DOMAIN columns.short AS varchar(20) NOT NULL;
    CREATE DOMAIN columns.shorter AS columns.short CHECK (length(value) < 5);
    CREATE DOMAIN columns.feeling AS columns.mood;
    CREATE TABLE columns.all (
      small smallint, normal integer NOT NULL, big bigint, real real, double double precision,
      exact numeric(10,2), free numeric, money money, oid oid,
      yes boolean, text text, chars character(3), varying varchar(20), open varchar, name name, bits bit(3),
      day date, moment time, moment_zone timetz, instant timestamp, instant_zone timestamptz(3), span interval,
      uuid uuid, json json, jsonb jsonb, bytes bytea, range int4range, ip inet, pair kinds.pair,
      list int[], lists text[][], mood columns.mood, moods columns.mood[],
      short columns.short, shorter columns.shorter, feeling columns.feeling,
      dropped int, twice integer GENERATED ALWAYS AS (normal * 2) STORED,
      number int GENERATED ALWAYS AS IDENTITY, serial serial, given text DEFAULT 'it''s', last int);
    ALTER TABLE columns.all DROP COLUMN dropped;
    COMMENT ON COLUMN columns.all.big IS 'How much';

    CREATE TABLE service_users (id int); CREATE TABLE service_scripts (id int);
    CREATE TABLE service_scripts_history (id int);
    CREATE TABLE kinds.service_users (id int);`,
});
const tested = new TestedCatalog(t, postgres);

t.test('relations', async (t) => {
  const { tables } = await tested.tables();
  const kinds = tables.filter(({ schema }) => schema === 'kinds');
  t.strictSame(
    kinds.map(({ name, type }) => `${name}: ${type}`),
    [
      'far: foreign_table',
      'handlerless: foreign_table',
      'kept: materialized_view',
      'part: table',
      'parted: partitioned_table',
      'plain: table',
      'service_users: table', // only the one in the configured schema is hidden
      'unlogged: table',
      'view: view',
    ],
  );
  t.match(await tested.find('kinds', 'plain'), {
    alias: 'main',
    owner: 'postgres',
    description: 'What it is',
  });
  t.equal((await tested.find('kinds', 'view')).description, undefined);
  const schemas = new Set(tables.map(({ schema }) => schema));
  t.strictSame([...schemas], ['columns', 'kinds', 'odd']);
});

t.test('unusual names are unchanged, in the order of their bytes', async (t) => {
  const all = await tested.tables();
  const names = all.tables.filter(({ schema }) => schema === 'odd').map(({ name }) => name);
  t.strictSame(
    names,
    [...ODD].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
  for (const name of ODD) {
    const table = await tested.find('odd', name);
    t.strictSame(
      table.columns.map((column) => column.name),
      [name],
    );
    t.equal(table.byName.get(name), table.columns[0], name);
  }
  for (const name of ['UPPER', 'upper', 'constructor', 'toString', '', LONG.slice(1), `${LONG}x`])
    t.equal(all.find('odd', name), undefined, name);
  t.equal(all.find('kinds\0plain', ''), undefined);
});

t.test('columns', async (t) => {
  const { columns } = await tested.find('columns', 'all');
  const text = ({ name, type, kind, nullable, maxLength = '-', ...rest }: Column): string =>
    [name, type, kind, nullable ? 'null' : 'not null', maxLength, ...marks(rest)].join(' | ');
  const marks = ({ generated, identity, defaultValue }: Partial<Column>): string[] => [
    ...(generated?.expression === undefined ? [] : [`generated ${generated.expression}`]),
    ...(identity === undefined ? [] : [`identity ${identity}`]),
    ...(defaultValue === undefined ? [] : [defaultValue]),
  ];
  t.strictSame(columns.map(text), [
    'small | smallint | integer | null | -',
    'normal | integer | integer | not null | -',
    'big | bigint | integer | null | -',
    'real | real | number | null | -',
    'double | double precision | number | null | -',
    'exact | numeric(10,2) | number | null | -',
    'free | numeric | number | null | -',
    'money | money | string | null | -',
    'oid | oid | string | null | -',
    'yes | boolean | boolean | null | -',
    'text | text | string | null | -',
    'chars | character(3) | string | null | 3',
    'varying | character varying(20) | string | null | 20',
    'open | character varying | string | null | -',
    'name | name | string | null | -',
    'bits | bit(3) | string | null | 3',
    'day | date | date | null | -',
    'moment | time without time zone | time | null | -',
    'moment_zone | time with time zone | time | null | -',
    'instant | timestamp without time zone | date-time | null | -',
    'instant_zone | timestamp(3) with time zone | date-time | null | -',
    'span | interval | string | null | -',
    'uuid | uuid | uuid | null | -',
    'json | json | json | null | -',
    'jsonb | jsonb | json | null | -',
    'bytes | bytea | string | null | -',
    'range | int4range | string | null | -',
    'ip | inet | string | null | -',
    'pair | kinds.pair | json | null | -',
    'list | integer[] | array | null | -',
    'lists | text[] | array | null | -',
    'mood | columns.mood | enum | null | -',
    'moods | columns.mood[] | array | null | -',
    'short | columns.short | string | not null | 20',
    'shorter | columns.shorter | string | not null | 20',
    'feeling | columns.feeling | enum | null | -',
    'twice | integer | integer | null | - | generated (normal * 2)',
    'number | integer | integer | not null | - | identity always',
    `serial | integer | integer | not null | - | nextval('columns.all_serial_seq'::regclass)`,
    "given | text | string | null | - | 'it''s'::text",
    'last | integer | integer | null | -',
  ]);
  const column = (name: string) => columns.find((one) => one.name === name)!;
  t.strictSame(column('mood').labels, ['sad', `it's "ok"`, 'glad']);
  t.strictSame(column('feeling').labels, column('mood').labels);
  t.equal(column('moods').labels, undefined);
  t.equal(column('big').description, 'How much');
  t.equal(column('last').position, 42, 'as PostgreSQL counts them');
});

t.test('tables of the service are hidden, by list and by name', async (t) => {
  const all = await tested.tables();
  t.notMatch(namesIn(all).join(' '), /public\./);
  t.equal(all.find('public', 'service_users'), undefined);
  t.equal((await tested.renewed()).find('public', 'service_scripts'), undefined);
});

t.test(
  'a table that PostgreSQL cannot describe takes no other with it, and that is said',
  async (t) => {
    t.equal((await tested.tables()).find('kinds', 'broken'), undefined);
    await tested.renewed();
    t.strictSame(tested.logged, [
      'PostgreSQL fails to describe some tables, MCP clients are not shown them',
    ]);
  },
);

t.test('an unknown alias', async (t) => {
  await t.rejects(tested.tables({}, 'other'), { code: 'unknown_database' });
});
