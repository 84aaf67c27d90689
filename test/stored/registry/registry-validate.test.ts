/** Scripts prepared on their database before they are stored: what PostgreSQL refuses, and where in the template. */
import t from 'tap';
import { TestDatabase } from '../../support/database.js';
import { databaseSettings } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry } from './tested-registry.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, name text); CREATE SEQUENCE ran`,
});
await server.sql('CREATE DATABASE second');
await makeTable(t, server);
const second = databaseSettings('second', server);
const other = new TestDatabase(t, server, {
  connections: 2,
  conninfo: second.conninfo.replace('dbname=postgres', 'dbname=second'),
});
const away = new TestDatabase(t, { host: '127.0.0.1', port: 1, password: 'x' });
const registry = new TestedRegistry(t, server, {
  databases: { other: other.database, away: away.database },
});

interface Case {
  readonly body: Readonly<Record<string, string>>;
  /** More of the query string. */
  readonly query?: string;
  readonly code: string;
  readonly error: RegExp;
  readonly verb: string;
  /** Line and column; none where PostgreSQL gives no position. */
  readonly at?: readonly [number, number];
}

const CASES: readonly Case[] = [
  { body: { read_sql: 'SELEC 1' }, code: '42601', error: /^syntax error at or near "1"$/, verb: 'read', at: [1, 7] }, // prettier-ignore
  { body: { read_sql: 'SELECT id\nFROM nope' }, code: '42P01', error: /^relation "nope" does not exist$/, verb: 'read', at: [2, 6] }, // prettier-ignore
  { body: { read_sql: "SELECT 'é😀', nope FROM item" }, code: '42703', error: /^column "nope" does not exist$/, verb: 'read', at: [1, 14] }, // prettier-ignore
  { body: { read_sql: 'SELECT 1', write_sql: 'INSERT INTO item (nope)\n  VALUES ({{sqlVal "n"}})' }, code: '42703', error: /column "nope" of relation "item"/, verb: 'write', at: [1, 19] }, // prettier-ignore
  { body: { update_sql: 'UPDATE item SET id = 1\n{{if isSet "x"}}WHERE nope = 1{{end}}' }, query: '&x=1', code: '42703', error: /"nope"/, verb: 'update', at: [2, 23] }, // prettier-ignore
  { body: { read_sql: 'SELECT {{.column}} FROM item' }, query: '&column=nope', code: '42703', error: /"nope"/, verb: 'read', at: [1, 10] }, // prettier-ignore
  { body: { read_sql: 'SELECT {{.column}} FROM item' }, query: '&other=1', code: '42601', error: /^syntax error at or near "<"$/, verb: 'read', at: [1, 10] }, // prettier-ignore
  { body: { delete_sql: 'DELETE FROM item; DELETE FROM item\n  WHERE nope = {{sqlVal "n"}}' }, code: '42703', error: /"nope"/, verb: 'delete', at: [2, 9] }, // prettier-ignore
  { body: { write_sql: "DELETE FROM item;\nINSERT INTO item VALUES ('x')" }, code: '22P02', error: /^invalid input syntax/, verb: 'write', at: [2, 26] }, // prettier-ignore
  { body: { write_sql: 'DELETE FROM item;\n\nVACUUM' }, code: 'statement_not_allowed', error: /^write_sql: VACUUM cannot run in a transaction block \(statement 2, line 3\)$/, verb: 'write' }, // prettier-ignore
  { body: { read_sql: 'SELECT 1; SELECT 2' }, code: 'statement_not_allowed', error: /^read_sql: statement is not allowed in a script that reads: a second one \(line 1\)$/, verb: 'read' }, // prettier-ignore
  { body: { write_sql: 'CREATE TABLE made (a int); INSERT INTO made VALUES (nope)', delete_sql: 'DELETE FROM nope' }, code: '42P01', error: /"nope"/, verb: 'delete', at: [1, 13] }, // prettier-ignore
  { body: { write_sql: 'SELECT {{index . "body.column"}}, {{sqlVal "request.body"}}::json FROM item' }, query: '&body.column=nope&request.body=x', code: '42703', error: /"nope"/, verb: 'write', at: [1, 10] }, // prettier-ignore
  { body: { read_sql: 'INSERT INTO item VALUES (1)' }, code: '42601', error: /^syntax error at or near "INTO"$/, verb: 'read', at: [1, 8] }, // prettier-ignore
  { body: { read_sql: 'SELECT (1' }, code: '42601', error: /^syntax error/, verb: 'read' },
  { body: { write_sql: 'BEGIN' }, code: 'statement_not_allowed', error: /^write_sql: each script is a transaction of its own$/, verb: 'write' }, // prettier-ignore
  { body: { write_sql: '-- nothing' }, code: 'script_not_usable', error: /^write_sql: the text rendered holds no statement$/, verb: 'write' }, // prettier-ignore
  { body: { read_sql: 'SELECT 1\n{{index .header 1 2}}' }, code: 'invalid_template', error: /^read_sql: could not render script v\/rec:2:3: /, verb: 'read', at: [2, 3] }, // prettier-ignore
  { body: { read_sql: 'SELECT {{ident "column"}}' }, query: '&other=1', code: 'invalid_template', error: /^read_sql: could not render script v\/rec:1:10: /, verb: 'read', at: [1, 10] }, // prettier-ignore
  { body: { read_sql: 'SELECT {{.x}}' }, query: "&x=';", code: 'invalid_value', error: /^read_sql: invalid value for parameter x: it contains SQL syntax/, verb: 'read' }, // prettier-ignore
];

for (const { body, query = '', code, error, verb, at } of CASES)
  t.test(`${JSON.stringify(body)} ${query}`, async (t) => {
    const { status, json } = await registry.ask(`PUT /v/rec?validate=true${query}`, { body });
    t.equal(status, 400);
    const told = json as Record<string, string>;
    t.match(told, { code, error, verb, script: 'v/rec' });
    if (at !== undefined) t.strictSame([told['line'], told['column']], at);
    else if (!told['error']!.startsWith('syntax error'))
      t.strictSame([told['line'], told['column']], [undefined, undefined]);
    t.strictSame(await server.sql('SELECT * FROM service_queries'), [], 'nothing is stored');
  });

const PROVED = '{"valid":true,"proof":{"read":{"verdict":"proved"}}}';

const FINE = {
  read_sql: `SELECT id FROM item WHERE name = {{sqlVal "name"}} {{if isSet "n"}}AND id = '{{.n}}'{{end}}`,
  write_sql: "INSERT INTO item SELECT nextval('ran'), 'x'",
  update_sql: 'UPDATE item SET id = 1 / 0',
  delete_sql: 'DROP TABLE item',
};
const FINE_PROOF = JSON.stringify({
  valid: true,
  proof: {
    read: { verdict: 'proved' },
    write: { verdict: 'proved' },
    update: { verdict: 'proved' },
    delete: {
      verdict: 'open',
      open: [{ what: 'the DROP statement, which is checked when it runs' }],
    },
  },
});

t.test('a hint is passed on', async (t) => {
  const { json } = await registry.ask('PUT /v/rec?validate', {
    body: { read_sql: "SELECT nofunction('x')" },
  });
  t.match(json, { code: '42883', hint: /./ });
});

t.test('only', async (t) => {
  const told = await registry.ask('PUT /v/rec?validate=only&n=1', { body: FINE });
  t.strictSame([told.status, told.text, told.headers], [200, FINE_PROOF, {}]);
  const posted = { ...FINE, location: 'v', name: 'rec' };
  t.equal(await registry.error('POST /?validate=only', { body: posted }), `200 ${FINE_PROOF}`);
  t.match(await registry.error('PUT /v/rec?validate=only', { body: { read_sql: 'SELEC' } }), /^400 42601: /); // prettier-ignore
  t.strictSame(await server.sql('SELECT * FROM service_queries'), []);
  t.equal(registry.refreshed, 0);
});

t.test('what is fine is stored, and nothing of it has run', async (t) => {
  t.equal((await registry.ask('PUT /v/rec?validate=true&location=x', { body: FINE })).status, 201);
  t.equal(await registry.error('GET /v/rec?validate=true'), `200 ${FINE_PROOF}`);
  t.strictSame(await server.sql('SELECT is_called, (SELECT count(*)::int FROM item) FROM ran'), [
    { is_called: false, count: 0 },
  ]);
  const off = await registry.ask('PUT /v/off?validate=false', { body: { read_sql: 'SELEC' } });
  t.equal(off.status, 201);
  t.match(await registry.error('GET /v/off?validate'), /^400 42601: /);
  const { json } = await registry.ask('GET /v/off?history');
  const [{ version }] = json as [{ version: number }];
  const back = `POST /v/off?rollback=${version}&validate=true`;
  t.match(await registry.error(back), /^400 42601: /, 'a rollback too');
});

t.test('on the database that it runs on', async (t) => {
  const body = { read_sql: 'SELECT id FROM item' };
  await registry.ask('PUT /where/rec', { body });
  t.equal(await registry.error('GET /where/rec?validate'), `200 ${PROVED}`);
  t.match(await registry.error('GET /other/where/rec?validate'), /^400 42P01: /);
  t.match(await registry.error('PUT /other/where/rec?validate', { body }), /^400 42P01: /);
  t.equal(await registry.error('GET /main/where/rec?validate'), `200 ${PROVED}`);
});

t.test('an unreachable database is not the script’s fault', async (t) => {
  registry.logged.length = 0;
  const body = { read_sql: 'SELECT 1' };
  t.match(await registry.error('PUT /away/where/rec?validate', { body }), /^503 08001: could not execute sql/); // prettier-ignore
  t.equal(registry.logged[0]!['level'], 'error');
  t.equal(await registry.error('GET /away/where/rec'), await registry.error('GET /where/rec'));
  t.equal((await registry.ask('PUT /away/where/rec', { body })).status, 201, 'stored unseen');
});
