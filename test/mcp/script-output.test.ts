/**
 * The output schema of scripts as tools: every result of a proved script matches it, whatever types its columns have. It
 * is checked as clients check it, who fail a call whose result does not match.
 */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { Ajv } from 'ajv';
import t from 'tap';
import { outputSchema } from '#app/mcp/scripts/output-schema.js';
import {
  NOTHING_SHOWN,
  type ProofRecord,
  type RecordedColumn,
  type Verdict,
} from '#app/messages/proofs.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { proofsOf } from './prove-scripts.js';
import { TestedScripts } from './tested-scripts.js';

const server = await startPostgres(t, {
  setup: `CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE TYPE pair AS (a int, b text);
    CREATE DOMAIN positive AS int CHECK (value > 0);
    CREATE DOMAIN words AS text[];
    CREATE DOMAIN maybe AS jsonb;
    CREATE TYPE texts AS RANGE (subtype = text);
    CREATE TYPE odd AS (x int);
    CREATE FUNCTION odd_json(odd) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT '7'::json $$;
    CREATE CAST (odd AS json) WITH FUNCTION odd_json(odd);
    CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, note text);
    INSERT INTO item VALUES (1, 'one', NULL), (2, 'two', 'x');`,
});
const { database } = new TestDatabase(t, server);

/** Values of each type, as PostgreSQL writes them in SQL. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  smallint: ['-32768'],
  integer: ['0', '2147483647'],
  bigint: ['9007199254740993', '-9223372036854775808'],
  numeric: ['1.50', "'NaN'", "'Infinity'", "'-Infinity'", '1e40', '0.1234567890123456789', '-0.0'],
  real: ['1.5', "'NaN'", "'Infinity'", '1e38'],
  'double precision': ['1.5', "'NaN'", "'-Infinity'", '1e308', '5e-324'],
  boolean: ['true', 'false'],
  text: ["''", `'ü"\\'`],
  'varchar(9)': ["'x'"],
  'character(3)': ["'x'"],
  '"char"': ["'x'"],
  name: ["'x'"],
  bytea: ["'\\x00ff'", "''"],
  uuid: ["'00000000-0000-0000-0000-000000000000'"],
  date: ["'2024-02-29'", "'infinity'", "'0044-03-15 BC'", "'20000-01-01'"],
  time: ["'24:00'", "'12:00:00.5'"],
  timetz: ["'12:00+05:30'"],
  timestamp: ["'2024-02-29 1:00'", "'-infinity'", "'0044-03-15 BC'"],
  timestamptz: ["'2024-02-29 1:00Z'", "'infinity'", "'20000-01-01'"],
  interval: ["'1 year -3 days'", "'0'"],
  money: ['1'],
  json: ["'null'", "'1'", "'[]'", `'{"a": [1, null]}'`, `'"x"'`, "'true'"],
  jsonb: ["'null'", "'1.5'", "'[]'", "'{}'", `'"x"'`, "'false'"],
  xml: ["'<a/>'"],
  inet: ["'::1'"],
  cidr: ["'10.0.0.0/8'"],
  macaddr: ["'08:00:2b:01:02:03'"],
  macaddr8: ["'08:00:2b:01:02:03:04:05'"],
  'bit(3)': ["'101'"],
  'bit varying': ["'1'"],
  oid: ['7'],
  xid: ["'7'"],
  cid: ["'7'"],
  tid: ["'(0,1)'"],
  regclass: ["'item'"],
  regtype: ["'int'"],
  pg_lsn: ["'0/1'"],
  jsonpath: ["'$.a'"],
  point: ["'(1,2)'"],
  line: ["'{1,2,3}'"],
  lseg: ["'(1,2),(3,4)'"],
  box: ["'(1,2),(3,4)'"],
  path: ["'((1,2),(3,4))'"],
  polygon: ["'((1,2),(3,4))'"],
  circle: ["'<(1,2),3>'"],
  tsvector: ["'a b'"],
  tsquery: ["'a & b'"],
  int4range: ["'[1,5)'", "'empty'"],
  int8range: ["'[1,)'"],
  numrange: ["'(,)'"],
  daterange: ["'[2024-01-01,infinity)'"],
  tsrange: ["'empty'"],
  tstzrange: ["'empty'"],
  int2vector: ["'1 2'"],
  oidvector: ["'1 2'"],
  'int[]': ["'{1,2}'", "'{}'", "'{1,NULL}'", "'{ {1}, {2} }'", "'[0:1]={1,2}'"],
  'text[]': [`'{a,"b c",NULL}'`],
  'numeric[]': ["'{NaN,1.5}'"],
  'jsonb[]': [`'{"[1]",null}'`],
  'bytea[]': [String.raw`'{"\\x00"}'`],
  'pair[]': [`'{"(1,x)",NULL}'`],
  'mood[]': ["'{ok}'"],
  mood: ["'ok'"],
  pair: ["'(1,x)'", "'(,)'"],
  positive: ['7'],
  words: ["'{a}'"],
  maybe: ["'[1]'", "'1'"],
  texts: ["'[a,b)'"],
  odd: ["'(1)'"],
  item: ["'(1,x,)'"],
};

const TEXTS: Record<string, string> = {
  'r/record': 'SELECT ROW(1, 2) AS r, (SELECT ROW(id) FROM item WHERE false) AS none',
  'r/nested': 'SELECT array_agg(item) AS all, max(id) AS m FROM item',
  'r/names': `SELECT 1, 2 AS "a b", 3 AS "__proto__", 4 AS "ä"`,
  'r/twice': `SELECT id, name, note AS name, 1.5 AS id FROM item`,
  'r/joined': `SELECT i.id, o.name FROM item i LEFT JOIN item o ON o.id = i.id + 1 ORDER BY 1`,
  'r/forms': `SELECT {{if isSet "long"}}id, name, note{{else}}name AS id{{end}} FROM item`,
  'r/none': 'SELECT id FROM item WHERE false',
  'r/many': 'SELECT id FROM generate_series(1, 200) id',
  'r/void': 'SELECT pg_sleep(0) AS v',
  'r/generated': 'SELECT * FROM pg_catalog.pg_type LIMIT 50',
  'r/class': 'SELECT * FROM pg_catalog.pg_class',
  'r/statistic': 'SELECT * FROM pg_catalog.pg_statistic LIMIT 50',
  'r/proc': 'SELECT * FROM pg_catalog.pg_proc LIMIT 90',
  'r/settings': 'SELECT * FROM pg_catalog.pg_settings LIMIT 90',
  'r/activity': 'SELECT * FROM pg_catalog.pg_stat_activity',
};
for (const [i, [type, values]] of Object.entries(VALUES).entries())
  for (const [k, value] of [...values, 'NULL'].entries())
    TEXTS[`t/t${i}_${k}`] = `SELECT (${value})::${type} AS v`;

const ajv = new Ajv({ strict: false });
const sdk = new AjvJsonSchemaValidator();

const scripts = new TestedScripts(t, server, { texts: TEXTS, settings: { maxTools: 1_000 } });
const proofs = await proofsOf(database, TEXTS);
scripts.proofs.apply({ proofs, gone: [], complete: true });
const entries = new Map((await scripts.list()).map((entry) => [entry.name, entry]));

function schemaOf(script: string): Readonly<Record<string, unknown>> | undefined {
  return entries.get(`service.script.main.${script.replace('/', '.')}`)?.outputSchema;
}

t.test('every result matches its schema', async (t) => {
  for (const [script, text] of Object.entries(TEXTS)) {
    const schema = schemaOf(script)!;
    t.ok(schema, text);
    const result = JSON.parse(await scripts.run(script)) as unknown;
    t.ok(ajv.validate(schema, result), `${text}: ${ajv.errorsText()} ${JSON.stringify(schema)}`);
    t.ok(sdk.getValidator(schema)(result).valid, text);
  }
  const long = JSON.parse(await scripts.run('r/forms', { long: true })) as unknown;
  t.ok(ajv.validate(schemaOf('r/forms')!, long));
});

/** The schema of a row. */
function rowOf(script: string): unknown {
  const { rows } = schemaOf(script)!['properties'] as { rows: { items: unknown } };
  return rows.items;
}

t.test('what a row looks like', (t) => {
  t.strictSame(schemaOf('r/none'), {
    type: 'object',
    properties: {
      rows: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      },
      count: { type: 'integer' },
      truncated: { type: 'boolean' },
      notice: { type: 'string' },
    },
    required: ['rows', 'count'],
  });
  t.strictSame(
    rowOf('r/joined'),
    {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } },
      required: ['id', 'name'],
    },
    'a column that an outer join nulls',
  );
  t.strictSame(
    rowOf('r/twice'),
    {
      type: 'object',
      properties: {
        id: { type: ['integer', 'number', 'string'] },
        name: { type: ['string', 'null'] },
      },
      required: ['id', 'name'],
    },
    'two columns of one name',
  );
  t.strictSame(
    rowOf('r/forms'),
    {
      anyOf: [
        {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            name: { type: 'string' },
            note: { type: ['string', 'null'] },
          },
          required: ['id', 'name', 'note'],
        },
        { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      ],
    },
    'several forms',
  );
  t.end();
});

t.test('a result of another form does not match', (t) => {
  const cases: [script: string, row: object][] = [
    ['r/none', { id: null }],
    ['r/none', { id: '1' }],
    ['r/none', {}],
    ['r/joined', { id: 1 }],
    ['r/forms', { id: 1, name: 'x' }],
  ];
  for (const [script, row] of cases)
    t.notOk(ajv.validate(schemaOf(script)!, { rows: [row], count: 1 }), JSON.stringify(row));
  t.end();
});

function record(
  verdict: Verdict,
  columns: readonly (readonly RecordedColumn[])[],
  open: ProofRecord['open'] = [],
): ProofRecord {
  const counts = { combinations: 1, texts: 1, statements: 1 };
  return { ...NOTHING_SHOWN, verdict, open, columns, ...counts };
}

function column(name: string, type: string, nullable?: boolean): RecordedColumn {
  return { name, type, nullable };
}

/** The schema of a row for a record; undefined for none. */
function rowFor(proof: ProofRecord): unknown {
  const properties = outputSchema(proof)?.['properties'];
  return (properties as { rows: { items: unknown } } | undefined)?.rows.items;
}

const ID = column('id', 'integer', false);
const NAME = column('name', 'text', false);

t.test('what is not certain is not said', (t) => {
  const one = (properties: object, required: string[]): object => ({
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
  });
  const id = { type: 'integer' };
  const maybe = { type: ['integer', 'null'] };
  const wide = Array.from({ length: 101 }, (_, i) => column(`c${i}`, 'integer'));
  const forms = Array.from({ length: 9 }, (_, i) => [ID, column(`c${i}`, 'text', false)]);
  const cases: [about: string, ProofRecord, expected: unknown][] = [
    ['proved', record('proved', [[ID]]), one({ id }, ['id'])],
    ['not analysed', record('proved', [[column('id', 'integer')]]), one({ id: maybe }, ['id'])],
    ['of any type', record('proved', [[column('m', 'mood', false)]]), one({ m: {} }, ['m'])],
    ['open', record('open', [[ID]], [{ what: 'the text of `by`' }]), undefined],
    ['broken and open', record('broken', [[ID]], [{ what: 'x' }]), undefined],
    ['nothing is accepted', record('broken', []), undefined],
    ['no columns', record('proved', [[]]), one({}, [])],
    ['too many columns', record('proved', [wide]), undefined],
    ['broken', record('broken', [[ID]]), one({ id: maybe }, ['id'])],
    [
      'by pairs',
      record('covered', [[ID], [ID, NAME]]),
      one({ id: maybe, name: { type: ['string', 'null'] } }, ['id']),
    ],
    [
      'by pairs, with two types',
      record('covered', [[ID], [column('id', 'text', false)]]),
      one({ id: { type: ['integer', 'null', 'string'] } }, ['id']),
    ],
    [
      'too many forms',
      record('proved', forms),
      one({ id, ...Object.fromEntries(forms.map((_, i) => [`c${i}`, { type: 'string' }])) }, [
        'id',
      ]),
    ],
  ];
  for (const [about, proof, expected] of cases) t.strictSame(rowFor(proof), expected, about);
  t.end();
});
