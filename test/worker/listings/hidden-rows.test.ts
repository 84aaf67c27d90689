/**
 * Objects that a caller may not read leave no trace in a listing, neither in its rows nor in its errors: PostgreSQL
 * evaluates no condition of a request on them.
 */
import t from 'tap';
import { Listings } from '#app/worker/listings/listings.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import { parseQueryString } from '#app/script/request/query-string.js';
import { databaseSettings, startHttpProcess } from '../../support/http-process.js';
import { startPostgres } from '../../support/postgres.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE item (id int); CREATE VIEW items AS SELECT id FROM item;
    CREATE SCHEMA shop; CREATE TABLE shop.sale (id int);`,
});
const read = (name: string) => ({ name, permissions: ['read'], fields: undefined });
const OPEN: TableAccessSettings = { restrict: false, tables: [], users: [], ignored: [] };
const RESTRICTED: TableAccessSettings = {
  ...OPEN,
  restrict: true,
  tables: ['item', 'items', 'shop.sale', 'gone.table'].map(read),
};

const HIDE = `
  CREATE ROLE secret_owner; CREATE SCHEMA secret_pay AUTHORIZATION secret_owner; GRANT secret_owner TO postgres;
  CREATE TABLE secret_pay.secret_plan (id int); ALTER TABLE secret_pay.secret_plan OWNER TO secret_owner;
  CREATE TABLE secret_plan (id int); CREATE VIEW shop.secret_view AS SELECT 1 AS one;
  ALTER VIEW shop.secret_view OWNER TO secret_owner`;
const REVEAL = `
  DROP SCHEMA secret_pay CASCADE; DROP TABLE secret_plan; DROP VIEW shop.secret_view; DROP ROLE secret_owner`;

/** Patterns that a hidden row matches up to their end: with a backslash appended, PostgreSQL fails on that row. */
const PREFIXES = [
  'tables?name=$like.secret_p',
  'tables?c.relname=$nlike.secret_p',
  'tables?relname=$ilike.SECRET_p',
  'tables?schema=$like.secret_p',
  'tables?n.nspname=$nilike.secret_p',
  'tables?owner=$like.secret_o',
  'tables?_or=type=view||name=$like.secret_p',
  'tables?name=$like.secret_p&_distinct=true',
  'tables?name=$like.secret_p&_order=-oid&_page=1',
  'schemas?schema_name=$like.secret_p',
  'schemas?schema_owner=$ilike.secret_O',
  'schemas?schema_name=$like.secret_p&_count=*',
  'schemas?schema_name=$like.secret_p&_distinct=true&_order=-schema_name',
];

/** The SQLSTATE of a listing whose pattern ends in a backslash, which the service itself rejects; `answered` for none. */
async function unfinished(target: string, access: TableAccessSettings): Promise<string> {
  const [name = '', query = ''] = target.split('?');
  const { text, values } = new Listings(access).query(name, parseQueryString(query), '');
  const sent = values.map((value) => (/^secret/i.test(value) ? `${value}\\` : value));
  try {
    await postgres.sql(text, sent);
    return 'answered';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

t.test('no condition is evaluated on a hidden row', async (t) => {
  await postgres.sql(HIDE);
  for (const target of PREFIXES) {
    t.equal(await unfinished(target, OPEN), '22025', `${target}: the row is there`);
    t.equal(await unfinished(target, RESTRICTED), 'answered', target);
  }
  await postgres.sql(REVEAL);
});

const TARGETS = [
  ...PREFIXES.flatMap((target) => [target, `${target}%25`, target.replace(/secret_[po]/i, '$&\\')]),
  'tables',
  'tables?name=secret_plan',
  'tables?name=$ne.item',
  'tables?name=$gt.secret_p&_order=-name',
  'tables?name=$nin.item,items',
  'tables?schema=secret_pay',
  'tables?owner=secret_owner',
  'tables?owner=$like.%25%25%25_',
  'tables?relpages=$gt.x',
  'tables?relname=$true',
  'tables?oid=$like.1',
  'tables?oid=$gt.99999999999',
  'tables?n.oid=$notnull',
  'tables?nspowner=$gt.10',
  'tables?relhasoids=$true',
  'tables?_order=-oid',
  'tables?_order=-owner,n.oid,relfilenode',
  'tables?_distinct=true',
  'tables?_distinct=true&_order=oid',
  'tables?_distinct=true&_order=-owner,-name,schema,type',
  'tables?_count=*',
  'tables?_page=1&_page_size=2&_order=-name',
  'tables?_page=2&_page_size=2',
  'tables?_page=3&_page_size=2',
  'schemas',
  'schemas?schema_name=secret_pay',
  'schemas?schema_name=$ne.public',
  'schemas?schema_owner=secret_owner',
  'schemas?schema_name=$true',
  'schemas?_count=*',
  'schemas?_count=*&_distinct=true',
  'schemas?_count=*&schema_name=$gte.s',
  'schemas?_order=-schema_name&_page=1&_page_size=1',
  'schemas?_page=3&_page_size=1',
  'schemas?_distinct=true&_order=schema_owner',
];

t.test('responses are the same with and without hidden objects', async (t) => {
  const worker = { databases: [databaseSettings('main', postgres)], access: RESTRICTED };
  const { port } = await startHttpProcess(t, { worker });
  const all = (): Promise<string[]> =>
    Promise.all(
      TARGETS.map(async (target) => {
        const response = await fetch(`http://127.0.0.1:${port}/${target}`);
        return `${target}: ${response.status} ${await response.text()}`;
      }),
    );
  const without = await all();
  await postgres.sql(HIDE);
  t.strictSame(await all(), without);
  t.match(
    without.find((answer) => answer.startsWith('tables:')),
    /"sale"/,
  );
  t.notMatch(without.join('\n'), /"(name|schema_name|owner)":"secret/);
  const refused = without.filter((answer) => answer.includes('must not end with escape'));
  t.equal(refused.length, PREFIXES.length);
});
