/**
 * /databases, /schemas and /tables over HTTP. The first table is what pREST 2.4.2 was seen to answer, with our messages
 * where they differ; the aggregate is the one it uses, so that bodies are equal to the byte.
 */
import t from 'tap';
import { databaseSettings, startHttpProcess } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE "Reply" (id serial PRIMARY KEY);
    CREATE TABLE test (id int);
    CREATE VIEW test_view AS SELECT id FROM test;
    CREATE MATERIALIZED VIEW test_copy AS SELECT id FROM test;
    CREATE TABLE test_parts (id int) PARTITION BY RANGE (id);
    CREATE TYPE test_type AS (id int)`,
});
for (const name of ['prest-test', 'secondary-cluster', 'secondary-db'])
  await postgres.sql(`CREATE DATABASE "${name}"`);
const database = databaseSettings('main', postgres);
const { port } = await startHttpProcess(t, {
  worker: { databases: [database], aggregate: 'jsonb_agg' },
});

async function ask(target: string, method = 'GET', from = port) {
  const url = `http://127.0.0.1:${from}${target}`;
  const response = await fetch(url, { method, redirect: 'manual' });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const error = (message: string) => JSON.stringify({ error: message, code: 'invalid_listing' });
const names = (column: string, ...all: readonly string[]) =>
  `[${all.map((name) => `{"${column}": "${name}"}`).join(', ')}]`;
const schemas = (...all: readonly string[]) => names('schema_name', ...all);
const tables = (...all: readonly (readonly [name: string, type: string])[]) =>
  `[${all
    .map(([name, type]) => `{"name": "${name}", "type": "${type}", "owner": "postgres", "schema": "public"}`)
    .join(', ')}]`; // prettier-ignore

const DATABASES = names('datname', 'postgres', 'prest-test', 'secondary-cluster', 'secondary-db');
const SCHEMAS = schemas('information_schema', 'pg_catalog', 'pg_toast', 'public');
const TABLES = tables(
  ['Reply', 'table'],
  ['Reply_id_seq', 'sequence'],
  ['test', 'table'],
  ['test_copy', 'materialized_view'],
  ['test_parts', 'partitioned_table'],
  ['test_view', 'view'],
);
const BAD_PAGE = error('invalid _page: it must be a whole number, at most 2147483647');

const RECORDED: readonly (readonly [target: string, status: number, body: string])[] = [
  ['/databases', 200, DATABASES],
  ['/schemas', 200, SCHEMAS],
  ['/tables', 200, TABLES],
  ['/databases?datname=$eq.prest-test', 200, names('datname', 'prest-test')],
  ['/databases?datname=prest-test', 200, names('datname', 'prest-test')],
  ['/databases?datname=$eq.nope', 200, '[]'],
  ['/schemas?schema_name=$like.p%25&schema_name=$ne.public', 200, schemas('pg_catalog', 'pg_toast')],
  ['/schemas?schema_name=$in.public,pg_catalog', 200, schemas('pg_catalog', 'public')],
  ['/schemas?schema_name=$notnull', 200, SCHEMAS],
  ['/schemas?_or=schema_name=$eq.public||schema_name=$eq.pg_toast', 200, schemas('pg_toast', 'public')],
  ['/schemas?schema_name=$zz.public', 400, error('invalid operator')],
  ['/schemas?_count=*', 200, '[{"count": 4}]'],
  ['/schemas?_order=-schema_name', 200, schemas('public', 'pg_toast', 'pg_catalog', 'information_schema')],
  ['/schemas?_order=$eq.x', 400, error('invalid identifier')],
  ['/schemas?_page=2&_page_size=1', 200, schemas('pg_catalog')],
  ['/schemas?_page=A', 400, BAD_PAGE],
  ['/schemas?_page=1', 200, SCHEMAS],
  ['/schemas?_page_size=1', 200, SCHEMAS],
  ['/schemas?_distinct=true', 200, SCHEMAS],
  ['/schemas?0schema_name=$eq.x', 400, error('0schema_name: invalid identifier')],
  ['/schemas?nope=$eq.x', 400, error('column "nope" does not exist')],
  ['/tables?c.relname=$eq.test', 200, tables(['test', 'table'])],
  ['/tables?0c=$eq.test', 400, error('could not perform WhereByRequest: 0c: invalid identifier')],
  ['/tables?_order=0c', 400, error('could not perform OrderByRequest: invalid identifier')],
  ['/tables?_page=A', 400, BAD_PAGE],
  ['/tables?_count=*', 200, TABLES],
  ['/schemas?schema_name=$eq.public&_renderer=xml', 200, '<objects><object><schema_name>public</schema_name></object></objects>'],
  ['/schemas?_page=A&_renderer=xml', 400, '<objects><error>invalid _page: it must be a whole number, at most 2147483647</error><code>invalid_listing</code></objects>'],
]; // prettier-ignore

t.test('as recorded', async (t) => {
  for (const [target, status, body] of RECORDED) {
    const answer = await ask(target);
    t.equal(answer.body, body, target);
    t.equal(answer.status, status, target);
    const type = target.includes('xml') ? 'application/xml' : 'application/json';
    t.equal(answer.headers.get('content-type'), type);
  }
});

t.test('a trailing slash', async (t) => {
  for (const name of ['databases', 'schemas', 'tables']) {
    const answer = await ask(`/${name}/?_count=*`);
    t.equal(answer.status, 301);
    t.equal(answer.headers.get('location'), `/${name}?_count=*`);
  }
});

t.test('methods', async (t) => {
  for (const name of ['databases', 'schemas', 'tables']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers, body } = await ask(`/${name}`, method);
      t.equal(status, 405, method);
      t.equal(headers.get('allow'), 'GET, HEAD, OPTIONS');
      t.equal(body, '{"error":"method not allowed","code":"method_not_allowed"}');
    }
    const options = await ask(`/${name}`, 'OPTIONS');
    t.equal(options.status, 204);
    t.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
    const head = await ask(`/${name}`, 'HEAD');
    t.equal(head.status, 200);
    t.equal(head.body, '');
    t.equal(head.headers.get('content-length'), String((await ask(`/${name}`)).body.length));
    t.equal((await ask(`/${name}?nope=1`, 'HEAD')).status, 400);
  }
});

t.test('invalid listings', async (t) => {
  for (const target of ['/database', '/Databases', '/tables/public', '/%74ables', '/databases/x/y'])
    t.equal((await ask(target)).status, 404, target);
});

/** Requests that would mean something else, did a part of them become SQL; and what they must give. */
const INJECTIONS: readonly (readonly [target: string, status: number])[] = [
  ['/tables?c.relname%22=$eq.test', 400],
  ['/tables?c.relname%22%20IS%20NOT%20NULL%20--=$eq.x', 400],
  ['/tables?%22c%22.%22relname%22=$eq.test', 400],
  ['/tables?c.relname%20OR%20true=$eq.x', 400],
  ['/tables?c.relname)%20OR%20(1=1', 400],
  ['/tables?c.relname;DROP%20TABLE%20test=x', 400],
  ['/tables?c.relname--=x', 400],
  ['/tables?c.relname/**/=x', 400],
  ['/tables?c.relname::text=x', 400],
  ['/tables?c.relname->>x:jsonb=x', 400],
  ['/tables?relname:tsquery=x', 400],
  ['/tables?relname$simple:tsquery=x', 400],
  ['/tables?%E2%80%9Crelname%E2%80%9D=x', 400],
  ['/tables?relname%CA%BC=x', 400],
  ['/tables?r%C3%A9lname=x', 400],
  ['/tables?relname%0A=x', 400],
  ['/tables?c.row_to_json=$notnull', 400],
  ['/tables?c.relacl=$notnull', 400],
  ['/tables?c=$notnull', 400],
  ['/tables?pg_shadow.passwd=$notnull', 400],
  ['/tables?constructor=x', 400],
  ['/tables?__proto__=x', 200], // ignored as any _…
  ['/tables?=x', 400],
  ['/tables?relname=$constructor.x', 400],
  ['/tables?relname=$eq', 400],
  ['/tables?relname=$eq;--.x', 400],
  ['/tables?relname=$EQ.x', 200], // no operator: a value that nothing has
  ['/tables?relname=', 400],
  ["/tables?relname=$eq.'%20OR%20'1'='1", 200],
  ["/tables?relname=$eq.x';DROP%20TABLE%20test;--", 200],
  ['/tables?relname=$eq.%22%20OR%20true%20--', 200],
  ['/tables?relname=$in.x)%20OR%20(true,y', 200],
  ['/tables?relname=$in.%22},%22test', 200],
  ['/tables?relname=$any.{test}', 200],
  ['/tables?relname=$eq.%EF%BC%87%20OR%201=1', 200],
  ['/tables?relname=$eq.$1', 200],
  ["/tables?relname=$like.\\'", 200],
  ['/tables?relname=$like.%25\\', 400],
  ['/tables?_order=relname%20DESC', 400],
  ['/tables?_order=relname;DROP%20TABLE%20test', 400],
  ['/tables?_order=%22relname%22', 400],
  ['/tables?_order=(SELECT%201)', 400],
  ['/tables?_order=1', 400],
  ['/tables?_order=relname,', 400],
  ['/tables?_order=--relname', 400],
  ['/tables?_order=c.row_to_json', 400],
  ['/tables?_or=true', 400],
  ['/tables?_or=', 400],
  ['/tables?_or=relname=x||', 400],
  ['/tables?_or=1=1', 400],
  ['/tables?_or=relname=x)%20OR%20(true=$true', 400],
  ['/tables?_or=%22relname%22=test', 400],
  ['/tables?_page=1;--', 400],
  ['/tables?_page=1&_page_size=1;--', 400],
  ['/tables?_page=1&_page_size=-1', 400],
  ['/tables?_page=1e3', 400],
  ['/tables?_page=99999999999', 400],
  ['/tables?_page=', 400],
  ['/schemas?_count=schema_name);--', 200], // that it is there is all that counts
  ['/databases?_distinct=true;--', 200],
  ['/tables?relname=%00', 400],
  ['/tables?relname=%zz', 400],
];

t.test('nothing that is sent becomes SQL', async (t) => {
  for (const [target, expected] of INJECTIONS) {
    const { status, body } = await ask(target);
    t.equal(status, expected, `${target}: ${body}`);
    if (expected === 400)
      t.match(JSON.parse(body), { code: /^(invalid_listing|invalid_query_string)$/ }, target);
    else if (target.includes('relname=')) t.equal(body, '[]', target);
  }
  t.equal((await ask('/tables')).body, TABLES, 'all of them are still there');
});

t.test('the message names a value that a column cannot be compared with', async (t) => {
  const cases: readonly (readonly [target: string, message: string])[] = [
    ['/tables?relpages=$gt.x', 'invalid input syntax for type integer: "x"'],
    ['/tables?relname=$true', 'argument of IS TRUE must be type boolean, not type name'],
    ['/tables?oid=$like.x', 'operator does not exist: oid ~~ unknown'],
    ['/tables?_distinct=true&_order=relpages', 'for SELECT DISTINCT, ORDER BY expressions must appear in select list'],
    ['/tables?relhasoids=$true', 'column c.relhasoids does not exist'],
  ]; // prettier-ignore
  for (const [target, message] of cases) {
    const { status, body } = await ask(target);
    t.equal(status, 400);
    t.equal(body, error(message));
  }
});

t.test('filters, orders and pages', async (t) => {
  const found = async (target: string): Promise<string> => {
    const rows = JSON.parse((await ask(target)).body) as Record<string, string>[];
    return rows.map((row) => row['name'] ?? row['schema_name'] ?? row['datname']).join(' ');
  };
  const cases: readonly (readonly [target: string, names: string])[] = [
    ['/tables?name=test', 'test'],
    ['/tables?schema=public&type=$in.view,materialized_view', 'test_copy test_view'],
    ['/tables?owner=$ne.postgres', ''],
    ['/tables?c.relkind=r&_order=-name', 'test Reply'],
    ['/tables?n.nspname=$nin.public', ''],
    ['/tables?relname=$any.test,Reply', 'Reply test'],
    ['/tables?relname=$some.test', 'test'],
    ['/tables?relname=$all.test', 'test'],
    ['/tables?relname=$all.test,Reply', ''],
    ['/tables?relname=$ilike.re%25', 'Reply Reply_id_seq'],
    ['/tables?relname=$nilike.%25e%25', ''],
    ['/tables?relname=$nlike.test%25', 'Reply Reply_id_seq'],
    ['/tables?relispartition=$false&relpages=$gte.0&relpages=$lt.1&c.relname=$gt.test_p', 'test_parts test_view'],
    ['/tables?relhasindex=$nottrue&relhasindex=$notfalse', ''],
    ['/tables?relname=$lte.S', 'Reply Reply_id_seq'],
    ['/tables?relname=$null', ''],
    ['/tables?_order=type,-name&_page=1&_page_size=2', 'test_copy test_parts'],
    ['/tables?_order=name,name,-name', 'Reply Reply_id_seq test test_copy test_parts test_view'],
    ['/tables?_or=name=test OR name=Reply', 'Reply test'],
    ['/tables?_or=name=test&_or=name=Reply&type=table', 'Reply test'],
    ['/tables?_page=0&_page_size=1', 'Reply'],
    ['/tables?_page=-3&_page_size=1', 'Reply'],
    ['/tables?_page=1&_page_size=0', ''],
    ['/tables?_page=2147483647&_page_size=2147483647', ''],
    ['/tables?_page=2&_page=1&_page_size=5', 'test_view'],
    ['/tables?_select=x&_where=y&_join=z&_groupby=a&name=test', 'test'],
    ['/schemas?information_schema.schemata.schema_name=public', 'public'],
    ['/schemas?schema_owner=nobody', ''],
    ['/databases?pg_database.datistemplate=$true', ''],
    ['/databases?datallowconn=$true&pg_catalog.pg_database.datname=$like.s%25&_order=-datname', 'secondary-db secondary-cluster'],
    ['/databases?_page=2&_page_size=3', 'secondary-db'],
  ]; // prettier-ignore
  for (const [target, names] of cases)
    t.equal(await found(target.replaceAll(' ', '%20')), names, target);
  t.equal(
    (await ask('/databases?_count=datname&_order=-datname&_distinct=true')).body,
    '[{"count": 4}]',
  );
  t.equal((await ask('/databases?_count=')).body, DATABASES);
});

t.test('too many conditions', async (t) => {
  const target = `/tables?_or=${Array.from({ length: 1_001 }, () => 'name=a').join('||')}`;
  t.equal((await ask(target)).body, error('more than 1000 conditions'));
});

t.test('json_agg, under a prefix', async (t) => {
  const plain = await startHttpProcess(t, { context: '/api', worker: { databases: [database] } });
  const { status, body } = await ask('/api/tables?name=test', 'GET', plain.port);
  t.equal(status, 200);
  t.equal(body, '[{"name":"test","type":"table","owner":"postgres","schema":"public"}]');
  t.equal((await ask('/tables', 'GET', plain.port)).status, 404);
});

t.test('hidden', async (t) => {
  const hidden = await startHttpProcess(t, {
    expose: { databases: false, schemas: true, tables: false },
    worker: { databases: [database] },
  });
  const shown = '{"error":"unauthorized listing","code":"listing_hidden"}';
  for (const target of ['/databases', '/tables?nope=1', '/tables?_page=A'])
    t.match(await ask(target, 'GET', hidden.port), { status: 401, body: shown }, target);
  for (const method of ['HEAD', 'POST', 'OPTIONS'])
    t.equal((await ask('/databases', method, hidden.port)).status, 401, method);
  t.equal((await ask('/schemas', 'GET', hidden.port)).status, 200);
  t.equal((await ask('/databases/', 'GET', hidden.port)).status, 301);
});

t.test('thousands of tables', async (t) => {
  await postgres.sql(`
    CREATE SCHEMA many;
    DO $$ BEGIN FOR i IN 1..2000 LOOP EXECUTE format('CREATE TABLE many.t%s ()', i); END LOOP; END $$`);
  const rows = JSON.parse((await ask('/tables?schema=many')).body) as object[];
  t.equal(rows.length, 2_000);
  const { body } = await ask('/tables?schema=many&_order=-oid&_page=2&_page_size=1');
  t.match(JSON.parse(body), [{ name: 't1999' }]);
  const small = await startHttpProcess(t, { worker: { databases: [database], maxResult: 10_000 } });
  t.match(await ask('/tables', 'GET', small.port), { status: 500, body: /result_too_large/ });
  t.equal((await ask('/tables?schema=public', 'GET', small.port)).status, 200);
});

t.test('a database that is away', async (t) => {
  const away = await startHttpProcess(t);
  t.match(await ask('/tables', 'GET', away.port), { status: 503, body: /check your service logs/ });
});
