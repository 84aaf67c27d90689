/** Values in string constants: what PostgreSQL refuses about one of them is answered 400, and no fault of the script. */
import t from 'tap';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { proveText } from './prove-text.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE visit (day date, hour time)' });
const { database } = new TestDatabase(t, server);

const CASES: readonly (readonly [name: string, text: string])[] = [
  [
    'a declared integer that is a part of a date',
    `-- @param year integer min=1900 max=2100\nSELECT 1 AS a FROM visit WHERE day >= DATE '{{.year}}-01-01'`,
  ],
  [
    'a declared integer that is a part of a time',
    `-- @param hour integer required\nSELECT 1 AS a FROM visit WHERE hour > TIME '{{.hour}}:00'`,
  ],
  [
    'a value that may be empty',
    `SELECT 1 AS a FROM visit WHERE true{{if isSet "from"}} AND day >= '{{.from}}'{{end}}{{if .from}} AND hour IS NULL{{end}}`,
  ],
  ['an absent value', `SELECT 1 AS a FROM visit WHERE day = '{{.day}}'`],
  ['an absent value that the message does not repeat', `SELECT '{{.filter}}'::jsonb AS a`],
  ['an absent list', `SELECT 1 AS a FROM visit WHERE day IN {{inFormat "days"}}`],
];

for (const [name, text] of CASES)
  t.test(name, async (t) => {
    const { verdict, findings } = await proveText(text, 'read', (sql) => database.describe(sql));
    t.strictSame(findings, []);
    t.not(verdict, 'broken');
  });

t.test('a constant that is wrong by itself is a fault', async (t) => {
  const text = `SELECT 1 AS a FROM visit WHERE day = 'soon'{{if isSet "x"}} AND hour > TIME '{{.x}}'{{end}}`;
  const { findings } = await proveText(text, 'read', (sql) => database.describe(sql));
  t.match(findings, [{ code: '22007', place: { line: 1, column: 38 }, when: 'always' }]);
});
