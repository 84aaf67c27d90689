/** Statements that end too early whatever the caller sends: the script is broken, and its requests are answered with 500. */
import t from 'tap';
import type { Verb } from '#app/script/verb.js';
import { callTool, toolNames } from '../support/mcp.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { proveText } from './prove-text.js';

const server = await startPostgres(t, { setup: 'CREATE TABLE item (id int, name text)' });
const { database } = new TestDatabase(t, server, { connections: 1 });

const TEXTS: [verb: Verb, text: string, found: string][] = [
  ['update', 'CREATE TABLE {{.x}};', '42601 1:20 always'],
  ['update', 'CREATE TABLE {{.x}}', '42601 1:16 always'],
  ['update', 'ALTER TABLE "{{.x}}" ; SELECT 1', '42601 1:21 always'],
  ['update', 'DELETE FROM item; CREATE VIEW v_{{.x}}', '42601 1:35 always'],
  ['update', '{{if isSet "x"}}CREATE TABLE {{.x}}{{else}}DELETE FROM item{{end}}', '42601 1:32 `x` is sent'], // prettier-ignore
  ['read', 'SELECT 1 AS one FROM item JOIN {{.x}}', '42601 1:34 always'],
  // Some words are more than names, and some names are right.
  ['update', 'DROP TABLE {{.x}}', 'open'],
  ['read', 'SELECT id FROM item ORDER BY {{.x}}', 'open'],
  ['read', 'SELECT 1 AS one FROM item {{.x}} JOIN item i', 'open'],
  ['read', 'SELECT 1 AS one FETCH {{.x}} ROW ONLY', 'open'],
  ['read', 'SELECT id FROM item UNION SELECT * FROM {{.x}}', 'open'],
]; // prettier-ignore

for (const [verb, text, found] of TEXTS)
  t.test(text, async (t) => {
    const { verdict, findings } = await proveText(text, verb, (sql) => database.describe(sql), ['item']); // prettier-ignore
    const all = findings.map(({ code, place, when }) => `${code} ${place?.line}:${place?.column} ${when}`); // prettier-ignore
    t.equal(all.join('; ') || verdict, found);
  });

t.test('no name is known to be tried', async (t) => {
  const text = 'SELECT count(*) FROM {{ident "x"}}';
  const { verdict } = await proveText(text, 'read', (sql) => database.describe(sql));
  t.equal(verdict, 'open');
});

const scripts = {
  'a/make.update.sql': 'CREATE TABLE {{.x}};',
  'a/open.update.sql': 'DELETE FROM item; CREATE TABLE {{.x}}',
  'a/list.read.sql': 'SELECT id FROM item ORDER BY {{.by}}',
  'a/join.read.sql': 'SELECT 1 AS one FROM item JOIN {{.x}}',
};

t.test('without a proof the caller is told which parameters', async (t) => {
  const config = { 'queries.proof': 'off', 'http.processes': 1, 'pool.threads': 1 };
  const service = await startService(t, { database: server.url, scripts, config });
  t.equal(await service.error('a/make?x=made', { method: 'PUT' }), '400 invalid_value');
  t.equal(await service.error('a/open?x=made', { method: 'PUT' }), '400 invalid_value');
  t.equal(await service.error('a/list?by=nope'), '400 invalid_value');
});

t.test('with one it is the script', async (t) => {
  const config = { 'http.processes': 1, 'pool.threads': 1 };
  const tools = { 'mcp.enabled': true, 'mcp.scripts': true };
  const all = { ...config, ...tools };
  const service = await startService(t, { database: server.url, scripts, config: all });
  await service.line('the scripts were proved');
  t.equal(await service.error('a/make?x=made', { method: 'PUT' }), '500 42601');
  t.equal(await service.error('a/open?x=made', { method: 'PUT' }), '500 42601');
  t.equal(await service.error('a/join?x=item'), '500 42601');
  t.equal(await service.error('a/list?by=nope'), '400 invalid_value');
  const line = await service.line(({ position }) => position === 'a/make:1:20');
  t.match(line, { script: 'a/make' });
  const name = (await toolNames(service)).find((one) => one.includes('join'))!;
  const { content } = await callTool(service, name, { x: 'item' });
  t.match(content[0]!.text, /its owner finds the reason in the log/);
});
