/** The query of a listing: the SQL for given parameters, which never contains text of the request. */
import t from 'tap';
import { Listings } from '#app/worker/listings/listings.js';
import { MAX_CONDITIONS } from '#app/worker/listings/listing-query.js';
import { ServiceError } from '#app/base/errors.js';
import type { TableAccessSettings } from '#app/messages/access-settings.js';
import { parseQueryString } from '#app/script/request/query-string.js';

const OPEN: TableAccessSettings = { restrict: false, tables: [], users: [], ignored: [] };
const listings = new Listings(OPEN);

/** The query of `listing?parameters`, or code and message of the error. */
function queryOf(target: string, from = listings, user = ''): { text: string; values: unknown } {
  const [name = '', query = ''] = target.split('?');
  try {
    return from.query(name, parseQueryString(query), user);
  } catch (error) {
    if (error instanceof ServiceError)
      return { text: `${error.code}: ${error.message}`, values: [] };
    throw error;
  }
}

const UNFINISHED = 'LIKE pattern must not end with escape character';

const INVALID: readonly (readonly [target: string, message: string])[] = [
  ['schemas?schema_name=', 'invalid operator'],
  ['schemas?schema_name=$zz.x', 'invalid operator'],
  ['schemas?schema_name=$eq', 'invalid operator'],
  ['schemas?schema_name=$eqx', 'invalid operator'],
  ['schemas?schema_name=$eq x', 'invalid operator'],
  ['schemas?schema_name=$eq=x', 'invalid operator'],
  ['schemas?schema_name=$in', 'invalid operator'],
  ['schemas?schema_name=$constructor.x', 'invalid operator'],
  ['schemas?schema_name=$ltreelanc.x', 'invalid operator'],
  ['schemas?schema_name=$or.x', 'invalid operator'],
  ['schemas?0a=x', '0a: invalid identifier'],
  ['schemas?a-b=x', 'a-b: invalid identifier'],
  ['schemas?a.=x', 'a.: invalid identifier'],
  ['schemas?.a=x', '.a: invalid identifier'],
  ['schemas?a..b=x', 'a..b: invalid identifier'],
  ['schemas?=x', ': invalid identifier'],
  ['schemas?a"=x', 'a": invalid identifier'],
  ['schemas?a:jsonb=x', 'a:jsonb: invalid identifier'],
  [`schemas?${'a'.repeat(64)}=x`, `${'a'.repeat(64)}: invalid identifier`],
  [`schemas?${'a'.repeat(63)}=x`, `column "${'a'.repeat(63)}" does not exist`],
  ['schemas?datname=x', 'column "datname" does not exist'],
  ['schemas?pg_catalog.schemata.schema_name=x', 'column "pg_catalog.schemata.schema_name" does not exist'],
  ['schemas?SCHEMA_NAME=x', 'column "SCHEMA_NAME" does not exist'],
  ['schemas?constructor=x', 'column "constructor" does not exist'],
  ['schemas?schema_name=$like.a\\', UNFINISHED],
  ['schemas?schema_name=$ilike.\\', UNFINISHED],
  ['schemas?schema_name=$nlike.\\\\\\', UNFINISHED],
  ['schemas?schema_name=$nilike.%5C%5C%25%5C', UNFINISHED],
  ['schemas?schema_name=$like.a%0A\\', UNFINISHED],
  ['tables?_or=name=$like.a||name=$like.a\\', UNFINISHED],
  ['tables?0a=x', 'could not perform WhereByRequest: 0a: invalid identifier'],
  ['tables?name=$zz.x', 'could not perform WhereByRequest: invalid operator'],
  ['tables?c.relacl=$null', 'column "c.relacl" does not exist'],
  ['tables?_order=a b', 'could not perform OrderByRequest: invalid identifier'],
  ['schemas?_order=-', 'invalid identifier'],
  ['schemas?_order=--schema_name', 'invalid identifier'],
  ['schemas?_order=schema_name,', 'invalid identifier'],
  ['schemas?_order=schema_name desc', 'invalid identifier'],
  ['schemas?_order=nope', 'column "nope" does not exist'],
  ['schemas?_order=nope&_count=*', 'column "nope" does not exist'],
  ['schemas?_or=', 'invalid _or: each alternative must have the form column=value'],
  ['schemas?_or=schema_name', 'invalid _or: each alternative must have the form column=value'],
  ['schemas?_or==x', 'invalid _or: each alternative must have the form column=value'],
  ['schemas?_or=schema_name=a||', 'invalid _or: each alternative must have the form column=value'],
  ['schemas?_or=schema_name=', 'invalid operator'],
  ['schemas?_or=(schema_name=a)', '(schema_name: invalid identifier'],
  ['schemas?_page=', 'invalid _page: it must be a whole number, at most 2147483647'],
  ['schemas?_page=1.5', 'invalid _page: it must be a whole number, at most 2147483647'],
  ['schemas?_page=0x1', 'invalid _page: it must be a whole number, at most 2147483647'],
  ['schemas?_page= 1', 'invalid _page: it must be a whole number, at most 2147483647'],
  ['schemas?_page=2147483648', 'invalid _page: it must be a whole number, at most 2147483647'],
  ['schemas?_page=1&_page_size=x', 'invalid _page_size: it must be a whole number, at most 2147483647 and not negative'],
  ['schemas?_page=1&_page_size=-1', 'invalid _page_size: it must be a whole number, at most 2147483647 and not negative'],
]; // prettier-ignore

t.test('invalid parameters', (t) => {
  for (const [target, message] of INVALID)
    t.equal(queryOf(target).text, `invalid_listing: ${message}`, target);
  t.equal(queryOf('users').text, 'not_found: 404 page not found');
  t.equal(queryOf('constructor').text, 'not_found: 404 page not found');
  t.end();
});

t.test('the number of conditions is limited', (t) => {
  const or = (n: number): string => `schemas?_or=${Array(n).fill('schema_name=a').join('||')}`;
  t.match(queryOf(or(MAX_CONDITIONS)).text, /^SELECT/);
  const message = 'invalid_listing: more than 1000 conditions';
  t.equal(queryOf(or(MAX_CONDITIONS + 1)).text, message);
  t.equal(queryOf(`${or(MAX_CONDITIONS)}&schema_name=b`).text, message);
  t.end();
});

const SCHEMAS = 'FROM (SELECT * FROM information_schema.schemata) schemata';
const DATABASES =
  'FROM (SELECT * FROM pg_catalog.pg_database WHERE NOT pg_database.datistemplate) pg_database';

const QUERIES: readonly (readonly [target: string, text: string, values?: readonly string[]])[] = [
  ['databases', `SELECT pg_database.datname ${DATABASES} ORDER BY pg_database.datname`],
  ['databases?_or=datname=a||datname=b', `SELECT pg_database.datname ${DATABASES} WHERE (pg_database.datname = $1 OR pg_database.datname = $2) ORDER BY pg_database.datname`, ['a', 'b']],
  ['schemas', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name`],
  ['schemas?_count=x&_order=schema_name', `SELECT count(schemata.schema_name) ${SCHEMAS}`],
  ['schemas?_count=', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name`],
  ['schemas?_count=x&_distinct=true', `SELECT DISTINCT count(schemata.schema_name) ${SCHEMAS}`],
  ['schemas?_distinct=TRUE', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name`],
  ['schemas?schema_name=x', `SELECT schemata.schema_name ${SCHEMAS} WHERE schemata.schema_name = $1 ORDER BY schemata.schema_name`, ['x']],
  ['schemas?_order=-schema_owner,schema_name,schema_owner', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_owner DESC, schemata.schema_name`],
  ['schemas?_order=schema_name&_order=;', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name`],
  ['schemas?_page=3', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name LIMIT $1 OFFSET $2`, ['10', '20']],
  ['schemas?_page=%2B2&_page_size=007', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name LIMIT $1 OFFSET $2`, ['7', '7']],
  ['schemas?_page=-5', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name LIMIT $1 OFFSET $2`, ['10', '0']],
  ['schemas?_page=2147483647&_page_size=2147483647', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name LIMIT $1 OFFSET $2`, ['2147483647', '4611686011984936962']],
  ['schemas?_page_size=x&_select=a&_anything', `SELECT schemata.schema_name ${SCHEMAS} ORDER BY schemata.schema_name`],
]; // prettier-ignore

t.test('queries', (t) => {
  for (const [target, text, values = []] of QUERIES)
    t.same(queryOf(target), { text, values }, target);
  t.end();
});

/** The SQL after WHERE for one condition on schema_name, and the bound value. */
const CONDITIONS: readonly (readonly [condition: string, sql: string, value?: string])[] = [
  ['x', '= $1', 'x'],
  ['a.b', '= $1', 'a.b'],
  ['$5', '= $1', '$5'],
  ['$', '= $1', '$'],
  ['$EQ.x', '= $1', '$EQ.x'],
  ['x$ne.y', '= $1', 'x$ne.y'],
  ['$eq.', '= $1', ''],
  ['$eq.x', '= $1', 'x'],
  ['$eq.$ne.x', '= $1', '$ne.x'],
  ['$eq.a%0Ab', '= $1', 'a\nb'],
  ['$ne.x', '<> $1', 'x'],
  ['$gt.x', '> $1', 'x'],
  ['$gte.x', '>= $1', 'x'],
  ['$lt.x', '< $1', 'x'],
  ['$lte.x', '<= $1', 'x'],
  ['$like.x%25', 'LIKE $1', 'x%'],
  ['$like.\\\\', 'LIKE $1', '\\\\'],
  ['$like.\\a', 'LIKE $1', '\\a'],
  ['$like.\\%0A', 'LIKE $1', '\\\n'],
  ['$eq.\\', '= $1', '\\'],
  ['$ilike.x', 'ILIKE $1', 'x'],
  ['$nlike.x', 'NOT LIKE $1', 'x'],
  ['$nilike.x', 'NOT ILIKE $1', 'x'],
  ['$in.a,b', '= ANY ($1)', '{"a","b"}'],
  ['$in.', '= ANY ($1)', '{""}'],
  ['$in.a"},\\,NULL', '= ANY ($1)', '{"a\\"}","\\\\","NULL"}'],
  ['$nin.a,b', '<> ALL ($1)', '{"a","b"}'],
  ['$any.a', '= ANY ($1)', '{"a"}'],
  ['$some.a', '= ANY ($1)', '{"a"}'],
  ['$all.a', '= ALL ($1)', '{"a"}'],
  ['$null', 'IS NULL'],
  ['$null.', 'IS NULL'],
  ['$notnull.x', 'IS NOT NULL'],
  ['$true', 'IS TRUE'],
  ['$nottrue', 'IS NOT TRUE'],
  ['$false', 'IS FALSE'],
  ['$notfalse', 'IS NOT FALSE'],
];

t.test('conditions', (t) => {
  for (const [condition, sql, value] of CONDITIONS) {
    const { text, values } = queryOf(`schemas?schema_name=${condition}`);
    const [, where] = / WHERE (.*) ORDER BY /.exec(text) ?? [];
    t.equal(where, `schemata.schema_name ${sql}`, condition);
    t.same(values, value === undefined ? [] : [value]);
  }
  t.end();
});

t.test('alternatives form one condition among the others', (t) => {
  const where = (query: string): unknown => / WHERE (.*) ORDER BY /.exec(queryOf(query).text)?.[1];
  const either = '(schemata.schema_name = $1 OR schemata.schema_owner = $2)';
  for (const or of [
    '_or=schema_name=a||schema_owner=b',
    '_or=schema_name=a+OR+schema_owner=b',
    '_or=schema_name=a++or%0Aschema_owner=b',
    '_or=schema_name=a&_or=schema_owner=b',
  ])
    t.equal(where(`schemas?${or}`), either, or);
  t.equal(
    where('schemas?_or=schema_name=a||schema_owner=b&catalog_name=c'),
    `schemata.catalog_name = $3 AND ${either}`,
  );
  t.equal(where('schemas?_or=schema_name=ORb'), '(schemata.schema_name = $1)');
  t.end();
});

t.test('the text contains nothing of the request', (t) => {
  const odd = `zz' AND "zz" -- ; zz`;
  const sent = encodeURIComponent(odd);
  const query = queryOf(
    `tables?name=${sent}&type=$in.${sent}&owner=$like.${sent}&_or=schema=${sent}`,
  );
  t.match(query.text, /^SELECT/);
  t.notMatch(query.text, /zz/);
  t.same(query.values, [odd, `{"${odd.replaceAll('"', '\\"')}"}`, odd, odd]);
  t.end();
});

t.test('restricted access', (t) => {
  const restricted = new Listings({
    restrict: true,
    tables: [
      { name: 'item', permissions: ['read'], fields: undefined },
      { name: 'shop.o"dd', permissions: ['read', 'write'], fields: ['id'] },
      { name: 'secret', permissions: ['write'], fields: undefined },
    ],
    users: [
      { name: 'ann', tables: [{ name: 'item', permissions: [], fields: undefined }] },
      { name: 'bob', tables: [{ name: 'hr.pay', permissions: ['read'], fields: undefined }] },
    ],
    ignored: [],
  });
  const tables = '(SELECT * FROM unnest($1::text[], $2::text[]))';
  const values = (target: string, user?: string): unknown =>
    queryOf(target, restricted, user).values;
  t.match(
    queryOf('tables?name=$ne.x', restricted).text,
    `${tables} OFFSET 0) c WHERE c.relname <> $3 ORDER`,
  );
  t.same(values('tables?name=$ne.x'), ['{"public","shop"}', '{"item","o\\"dd"}', 'x']);
  t.match(queryOf('schemas?_count=x', restricted).text, /WHERE schemata\.schema_name::text = ANY \(\$1::text\[\]\) OFFSET 0\) schemata$/); // prettier-ignore
  t.same(values('schemas'), ['{"public","shop"}']);
  t.same(values('schemas', 'ann'), ['{"shop"}']);
  t.same(values('tables', 'bob'), ['{"public","shop","hr"}', '{"item","o\\"dd","pay"}']);
  t.same(values('databases'), []);
  t.same(values('schemas', '__proto__'), ['{"public","shop"}']);
  const without = new Listings({ ...OPEN, restrict: true });
  t.same(queryOf('tables', without).values, ['{}', '{}']);
  t.end();
});
