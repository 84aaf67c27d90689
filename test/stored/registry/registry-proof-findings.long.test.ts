/** What a validation proves: every branch of every text, without values; findings with place and condition. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, name text, price numeric); CREATE TABLE note (id int, text text); CREATE SEQUENCE ran`,
});
await makeTable(t, server);
const registry = new TestedRegistry(t, server);

type Body = Readonly<Record<string, string>>;

/** The texts are broken, and nothing was sent that shows it. */
const BROKEN: readonly (readonly [about: string, body: Body, first: object])[] = [
  [
    'a condition that one filter needs',
    { read_sql: `SELECT id FROM item\n{{if isSet "name"}}WHERE name = {{sqlVal "name"}}{{end}}\n{{if isSet "id"}}AND id = {{sqlVal "id"}}{{end}}` }, // prettier-ignore
    { error: 'syntax error at or near "AND"', code: '42601', verb: 'read', line: 3, column: 18, when: '`name` is not sent and `id` is sent' }, // prettier-ignore
  ],
  [
    'two values',
    { update_sql: 'UPDATE item SET name = NULL WHERE name IN ({{sqlList "name"}}) ' },
    { code: '42883', verb: 'update', line: 1, column: 40, when: '`name` is sent twice' },
  ],
  [
    'a column of one branch only',
    { read_sql: 'SELECT {{if eq .kind "short"}}nope{{else}}id{{end}} FROM item' },
    { error: 'column "nope" does not exist', code: '42703', line: 1, column: 31, when: '`kind` is "short"' }, // prettier-ignore
  ],
  [
    'a placeholder in quotes',
    { read_sql: `SELECT id FROM item WHERE name = '{{sqlVal "name"}}'` },
    { error: 'read_sql: a placeholder in quotes or a comment is only text there', code: 'placeholder_in_literal', line: 1, column: 37, when: 'always' }, // prettier-ignore
  ],
  [
    'a branch in which the template fails',
    { read_sql: 'SELECT 1\n{{if isSet "x"}}{{index .header 1 2}}{{end}}' },
    { error: /^read_sql: could not render script v\/rec:2:19: /, code: 'invalid_template', line: 2, column: 19, when: '`x` is sent' }, // prettier-ignore
  ],
  [
    'a statement that is not allowed',
    { write_sql: '{{if isSet "x"}}COMMIT{{else}}SELECT 1{{end}}' },
    { error: 'write_sql: each script is a transaction of its own', code: 'statement_not_allowed', when: '`x` is sent' }, // prettier-ignore
  ],
  [
    'with a hint',
    { read_sql: `SELECT nofunction({{sqlVal "x"}})` },
    { code: '42883', hint: /./, line: 1, column: 8, when: 'always' },
  ],
];

for (const [about, body, first] of BROKEN)
  t.test(about, async (t) => {
    const { status, json } = await registry.ask('PUT /v/rec?validate=true', { body });
    t.equal(status, 400);
    t.match(json, { ...first, script: 'v/rec' });
    t.strictSame(await server.sql('SELECT * FROM service_queries'), [], 'nothing is stored');
  });

t.test('all findings of all texts, the first one as the error', async (t) => {
  const { status, json, text } = await registry.ask('PUT /v/rec?validate=only', {
    body: {
      read_sql: 'SELECT 1 FROM none',
      write_sql: 'INSERT INTO item (id) VALUES ({{sqlVal "id"}})',
      update_sql:
        '{{if isSet "a"}}UPDATE nothere SET id = 1{{else}}UPDATE item SET gone = 1{{end}}',
    },
  });
  t.equal(status, 400);
  t.match(text, /^\{"error":"relation \\"none\\" does not exist","code":"42P01","script":"v\/rec","verb":"read","line":1,"column":15,"when":"always","findings":\[/); // prettier-ignore
  t.strictSame((json as { findings: unknown }).findings, [
    { verb: 'read', message: 'relation "none" does not exist', code: '42P01', line: 1, column: 15, when: 'always' }, // prettier-ignore
    { verb: 'update', message: 'relation "nothere" does not exist', code: '42P01', line: 1, column: 24, when: '`a` is sent' }, // prettier-ignore
    { verb: 'update', message: 'column "gone" of relation "item" does not exist', code: '42703', line: 1, column: 66, when: '`a` is not sent' }, // prettier-ignore
  ]);
});

t.test('values are tried too, and their failure comes first', async (t) => {
  const body = {
    read_sql: 'SELECT {{.column}} FROM item {{if isSet "x"}}WHERE nope = 1{{end}}',
  };
  const { json } = await registry.ask('PUT /v/rec?validate=true&column=gone', { body });
  t.match(json, { code: '42703', error: 'column "gone" does not exist', line: 1, column: 10 });
  const { findings } = json as { findings: { when: string; message: string }[] };
  t.strictSame(
    findings.map(({ message, when }) => [message, when]),
    [
      ['column "gone" does not exist', 'with the values of this request'],
      ['column "nope" does not exist', '`x` is sent'],
    ],
  );
  const both = await registry.ask('PUT /v/rec?validate=true&column=id&x=1', { body });
  t.match(both.json, { error: 'column "nope" does not exist', when: '`x` is sent' });
  t.equal((both.json as { findings: unknown[] }).findings.length, 1, 'the same one once');
});

t.test('what cannot be decided is accepted, and said', async (t) => {
  const body = { read_sql: 'SELECT id FROM item ORDER BY {{.column}}' };
  const { status, json } = await registry.ask('PUT /v/open?validate=true', { body });
  t.equal(status, 201);
  const open = [{ what: 'the text of `column`', line: 1, column: 32 }];
  t.match(json, { name: 'open', proof: { read: { verdict: 'open', open } } });
  const again = await registry.ask('PUT /v/open?validate=true', { body: json });
  t.equal(again.status, 200, 'the response can be sent back');
  const plain = await registry.ask('PUT /v/open', { body: json });
  t.notOk('proof' in (plain.json as object), 'without a validation nothing is said');
});

t.test('too many combinations: every pair of them', async (t) => {
  const filters = Array.from({ length: 14 }, (_, i) => `{{if isSet "p${i}"}} AND id = ${i}{{end}}`);
  const body = { read_sql: `SELECT id FROM item WHERE true ${filters.join('')}` };
  const { json } = await registry.ask('PUT /v/many?validate=only', { body });
  t.strictSame(json, { valid: true, proof: { read: { verdict: 'covered' } } });
  const broken = {
    read_sql: `${body.read_sql} {{if isSet "p11"}}{{if isSet "p13"}}OR{{end}}{{end}}`,
  };
  const refused = await registry.ask('PUT /v/many?validate=only', { body: broken });
  t.match(refused.json, { code: '42601', when: '`p11` is sent and `p13` is sent' });
});

t.test('nothing has run', async (t) => {
  const write_sql = `INSERT INTO note SELECT nextval('ran'), {{sqlVal "text"}}; NOTIFY proof`;
  t.equal((await registry.ask('PUT /v/ran?validate=only', { body: { write_sql } })).status, 200);
  t.strictSame(await server.sql('SELECT is_called, (SELECT count(*)::int FROM note) FROM ran'), [
    { is_called: false, count: 0 },
  ]);
});
