/**
 * Values come out as PostgreSQL's own to_json gives them, whether a read made the JSON there or a write returned rows,
 * and whatever the role's or the database's settings of output formats are.
 */
import t, { type Test } from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService, type Service } from '../support/service.js';

/** Expressions, each of one type; of each its array is tried too. */
const VALUES: readonly string[] = [
  '1::int2',
  '(-2147483648)::int4',
  '9007199254740993::int8',
  '1.10::numeric',
  "'NaN'::numeric",
  "'-Infinity'::numeric",
  '1e-7::numeric',
  '1e100::float8',
  '0.1::float4',
  "'-0'::float8",
  "'Infinity'::float8",
  "'NaN'::float4",
  'true',
  'E\'tab\\t "quoted" \\\\ \\u2028 \\U0001F600 \\x01 <é>\'::text',
  "'ab  '::char(4)",
  '\'x\'::"char"',
  "'name'::name",
  "'2024-02-03'::date",
  "'infinity'::date",
  "'-infinity'::date",
  "'0044-03-15 BC'::date",
  "'20240-01-01'::date",
  "'2024-02-03 04:05:06.789'::timestamp",
  "'0044-03-15 01:02:03 BC'::timestamp",
  "'infinity'::timestamp",
  "'2024-02-03 04:05:06.789+00'::timestamptz",
  "'1883-01-01 00:00:00+00'::timestamptz",
  "'0044-03-15 01:02:03+00 BC'::timestamptz",
  "'-infinity'::timestamptz",
  "'04:05:06.5'::time",
  "'04:05:06.5+05:30'::timetz",
  "'1 year 2 mons -3 days 04:05:06.7'::interval",
  "'12.34'::money",
  "'\\x00ff5c'::bytea",
  "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
  "'192.168.0.1/24'::inet",
  "'10.0.0.0/8'::cidr",
  "'08:00:2b:01:02:03'::macaddr",
  "B'101'",
  "B'101'::varbit",
  "'(1,2)'::point",
  "'[1,5)'::int4range",
  "'{[1,2), [5,7)}'::int4multirange",
  "to_tsvector('simple', 'a b')",
  '\'{ "b": 1,  "a" : [null, 1.0] }\'::json',
  '\'{ "b": 1,  "a" : [null, 1.0] }\'::jsonb',
  "'null'::json",
  "'<a>1</a>'::xml",
  "'sad'::mood",
  "'a'::code",
  '5::percent',
  "ROW(1, 'a b', NULL)::pair",
  "'a=>1'::bag",
  "'public.sink'::regclass",
  '12345::oid',
];

const postgres = await startPostgres(t, {
  setup: `
    CREATE TYPE mood AS ENUM ('sad', 'so "so"');
    CREATE DOMAIN code AS text CHECK (length(value) < 5);
    CREATE DOMAIN percent AS int;
    CREATE TYPE pair AS (n int, "t t" text, d date);
    CREATE TYPE bag;
    CREATE FUNCTION bag_in(cstring) RETURNS bag LANGUAGE internal IMMUTABLE STRICT AS 'textin';
    CREATE FUNCTION bag_out(bag) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
    CREATE TYPE bag (INPUT = bag_in, OUTPUT = bag_out, LIKE = text);
    CREATE FUNCTION bag_json(bag) RETURNS json LANGUAGE sql IMMUTABLE
      AS $$ SELECT json_build_object('bag', bag_out($1)::text) $$;
    CREATE CAST (bag AS json) WITH FUNCTION bag_json(bag);
    CREATE TABLE sink (id int GENERATED ALWAYS AS IDENTITY)`,
});

const scripts: Record<string, string> = {
  'rows/none.write.sql': 'INSERT INTO sink SELECT WHERE false RETURNING id',
  'rows/twice.read.sql': 'SELECT 1 AS a, 2 AS a, 3 AS "x ""y"',
  'rows/twice.write.sql': 'INSERT INTO sink DEFAULT VALUES RETURNING 1 AS a, 2 AS a, 3 AS "x ""y"',
  'rows/unnamed.read.sql': "SELECT 1, 'x'",
  'rows/unnamed.write.sql': "INSERT INTO sink DEFAULT VALUES RETURNING 1, 'x'",
};
VALUES.forEach((value, i) => {
  const columns = `${value} AS v, ARRAY[${value}, NULL] AS list, nullif(${value}::text, ${value}::text) AS nothing`;
  scripts[`value/n${i}.read.sql`] = `SELECT ${columns}`;
  scripts[`value/n${i}.write.sql`] = `INSERT INTO sink DEFAULT VALUES RETURNING ${columns}`;
});

const SETTINGS: Readonly<Record<string, string>> = {
  'as PostgreSQL comes': '',
  'a zone with half hours and old local times': `
    ALTER ROLE postgres SET timezone = 'Asia/Kolkata';
    ALTER ROLE postgres SET datestyle = 'SQL, DMY';
    ALTER ROLE postgres SET intervalstyle = 'iso_8601'`,
  'a zone behind, and other forms': `
    ALTER ROLE postgres SET timezone = 'America/St_Johns';
    ALTER ROLE postgres SET datestyle = 'German';
    ALTER ROLE postgres SET extra_float_digits = -5;
    ALTER ROLE postgres SET bytea_output = 'escape';
    ALTER ROLE postgres SET xmloption = 'document'`,
};

/** start starts a service; its sessions have the settings that the role has now. */
const start = (t: Test): Promise<Service> =>
  startService(t, {
    database: postgres.url,
    scripts,
    config: { 'http.processes': 1, 'pool.threads': 1 },
  });

for (const [name, setting] of Object.entries(SETTINGS))
  t.test(name, async (t) => {
    await postgres.sql(`ALTER ROLE postgres RESET ALL; ${setting}`);
    const service = await start(t);
    const compare = async (value: string, i: number): Promise<void> => {
      const read = await service.ask(`value/n${i}`);
      t.equal(read.status, 200, typeOf(value), { value, text: read.text });
      const write = await service.ask(`value/n${i}`, { method: 'POST' });
      t.equal(write.text, `{"rows_affected":1,"rows":${read.text}}`, typeOf(value), { value });
    };
    await Promise.all(VALUES.map(compare));
  });

t.test('settings that PostgreSQL comes with', async (t) => {
  await postgres.sql('ALTER ROLE postgres RESET ALL');
  const service = await start(t);

  await t.test('reads are what to_json says', async (t) => {
    const columns = VALUES.map((value, i) => `to_json(${value})::text AS n${i}`);
    const [expected] = await postgres.sql<Record<string, string>>(`SELECT ${columns.join()}`);
    const compare = async (value: string, i: number): Promise<void> => {
      const { text } = await service.ask(`value/n${i}`);
      const json = expected![`n${i}`]!;
      const rows = `[{"v":${json},"list":[${json},null],"nothing":null}]`;
      t.equal(text, rows, typeOf(value), { value });
    };
    await Promise.all(VALUES.map(compare));
  });

  await t.test('names, and rows without any', async (t) => {
    t.equal((await service.ask('rows/twice')).text, '[{"a":1,"a":2,"x \\"y":3}]');
    t.equal((await service.ask('rows/unnamed')).text, '[{"?column?":1,"?column?":"x"}]');
    for (const name of ['twice', 'unnamed']) {
      const read = await service.ask(`rows/${name}`);
      const write = await service.ask(`rows/${name}`, { method: 'POST' });
      t.equal(write.text, `{"rows_affected":1,"rows":${read.text}}`);
    }
    const none = await service.ask('rows/none', { method: 'POST' });
    t.equal(none.text, '{"rows_affected":0,"rows":[]}');
  });
});

/** typeOf names the type of an expression, for a value may be more than a line of TAP takes. */
function typeOf(value: string): string {
  return value.split('::')[1] ?? 'a constant';
}
