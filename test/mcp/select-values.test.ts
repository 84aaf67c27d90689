/** Values of every kind in rows: exact JSON, as written by PostgreSQL, with numbers as strings that a double does not hold. */
import t from 'tap';
import { startToolDatabase } from './arguments/tool-database.js';

const CASES = [
  ['bigint', '9223372036854775807', '"9223372036854775807"'],
  ['bigint', '9007199254740991', '9007199254740991'],
  ['bigint[]', `'{1,-9223372036854775808,NULL}'`, '[1,"-9223372036854775808",null]'],
  ['numeric', '12345678901234567890.123456789', '"12345678901234567890.123456789"'],
  ['numeric', '1.10', '1.10'],
  ['float8', '1e300', '1e+300'],
  ['jsonb', `'{"id": 9007199254740993}'`, '{"id": "9007199254740993"}'],
  ['text', `'9007199254740993'`, '"9007199254740993"'],
  ['numeric', "'NaN'", '"NaN"'],
  ['float8', "'Infinity'", '"Infinity"'],
  ['float8', '0.1', '0.1'],
  ['json', `'{"b": 1,\n "a": [1.10, null]}'`, '{"b": 1,\n "a": [1.10, null]}'],
  ['jsonb', `'{"b": 1, "a": "\\u00e9"}'`, '{"a": "é", "b": 1}'],
  ['jsonb', `'null'`, 'null'],
  ['bytea', `'\\x00ff'`, '"\\\\x00ff"'],
  ['timestamp', `'2024-02-29 12:00:00.5'`, '"2024-02-29T12:00:00.5"'],
  ['timestamptz', `'infinity'`, '"infinity"'],
  ['date', `'2024-02-29'`, '"2024-02-29"'],
  ['interval', `'1 day 2 hours'`, '"1 day 02:00:00"'],
  ['int[]', `'{{1,2},{3,NULL}}'`, '[[1,2],[3,null]]'],
  ['text[]', `'{"a,b","\\"q\\""}'`, '["a,b","\\"q\\""]'],
  ['int4range', `'[1,5)'`, '"[1,5)"'],
  ['pair', `ROW(1, 'x')`, '{"a":1,"b":"x"}'],
  ['bool', 'true', 'true'],
  ['text', 'NULL', 'null'],
  ['text', `E'line\\n"quote" \\\\ \\t ]['`, '"line\\n\\"quote\\" \\\\ \\t ]["'],
  ['text', `'😀'`, '"😀"'],
  ['uuid', `'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'`, '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"'],
  ['xml', `'<a>&amp;</a>'`, '"<a>&amp;</a>"'],
  ['inet', `'10.0.0.1/8'`, '"10.0.0.1/8"'],
  ['money', `'1.50'`, '"$1.50"'],
] as const;

const db = await startToolDatabase(t, {
  setup: `CREATE TYPE pair AS (a int, b text); SET lc_monetary = 'C'; ${CASES.map(
    ([type, value], i) =>
      `CREATE TABLE value_${i} (v ${type}); INSERT INTO value_${i} VALUES (${value});`,
  ).join('\n')}
    CREATE TABLE wide (a text); INSERT INTO wide SELECT repeat('x', 30000) FROM generate_series(1, 50)`,
  settings: { maxResult: 1_000_000 },
});

for (const [i, [type, value, json]] of CASES.entries())
  t.test(`${type} ${value}`, async (t) => {
    const outcome = await db.run('service.select_table', { schema: 'public', table: `value_${i}` });
    if (type === 'money') t.match(outcome, { json: /"rows":\[\{"v":"[^"]+"\}\]/ });
    else t.match(outcome, { json: `"columns":["v"],"rows":[{"v":${json}}],"count":1}` });
  });

t.test('a filter takes back what an answer gave', async (t) => {
  for (const [i, [type, value]] of CASES.entries()) {
    if (!/^(?:bigint|numeric|float8)$/.test(type)) continue;
    const { rows } = await db.select(`value_${i}`);
    const found = await db.select(`value_${i}`, { filters: rows![0]! });
    t.strictSame(found.rows, rows, `${type} ${value}`);
  }
});

t.test('a large answer is whole', async (t) => {
  const { rows } = await db.select('wide', { limit: 33 });
  t.equal(rows?.length, 33);
  t.ok(rows?.every(({ a }) => a === 'x'.repeat(30_000)));
});
