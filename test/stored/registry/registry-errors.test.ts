/** What the registry refuses, and in which words; nothing of it is stored. */
import t from 'tap';
import { TestDatabase } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { makeTable, TestedRegistry, type Ask } from './tested-registry.js';

const server = await startPostgres(t);
await makeTable(t, server);
const other = new TestDatabase(t, server, { connections: 2 });
const registry = new TestedRegistry(t, server, { databases: { other: other.database } });

const GOOD = { location: 'itest', name: 'rec', read_sql: 'SELECT 1' };
const json = (reason: string): string => `400 invalid_record: invalid json body: ${reason}`;
const query = (reason: string): string =>
  `400 invalid_query_string: invalid query string: ${reason}`;
const TAGS = 'must be * or entity tags in quotes, parted by commas';
const TWICE = 'is there twice';

/** Bodies of a request that makes a record. */
const BODIES: [body: unknown, wanted: string][] = [
  [undefined, '400 invalid_record: invalid json body'],
  ['', '400 invalid_record: invalid json body'],
  ['{invalid', '400 invalid_record: invalid json body'],
  ['[]', '400 invalid_record: invalid json body'],
  ['null', '400 invalid_record: invalid json body'],
  ['"text"', '400 invalid_record: invalid json body'],
  [`${JSON.stringify(GOOD)} x`, '400 invalid_record: invalid json body'],
  [new Uint8Array([0x22, 0xff, 0x22]), '400 invalid_record: invalid json body'],
  [Buffer.from('{"location":"\xe9"}', 'latin1'), '400 invalid_record: invalid json body'],
  ['{"read_sql":1}', json('read_sql must be a string')],
  ['{"location":1,"name":"rec","read_sql":"SELECT 1"}', json('location must be a string')],
  ['{"description":["x"]}', json('description must be a string')],
  ['{"database":{}}', json('database must be a string')],
  [{ ...GOOD, bogus: 1 }, json('unknown member "bogus"')],
  [{ ...GOOD, Read_sql: 'x' }, json('unknown member "Read_sql"')],
  ['{"__proto__":{"a":1}}', json('unknown member "__proto__"')],
  [`{"${'x'.repeat(5_000)}":1}`, json(`unknown member "${'x'.repeat(100)}"`)],
  ['{"read_sql":"SELECT 1","read_sql":"SELECT 2"}', json(`"read_sql" ${TWICE}`)],
  ['{"read_sql":"a","re\\u0061d_sql":"b"}', json(`"read_sql" ${TWICE}`)],
  ['{"id":{"a":"}{","a":2}}', json(`"a" ${TWICE}`)],
  [{ ...GOOD, read_sql: 'SELECT \0' }, json('read_sql holds a NUL')],
  [{ ...GOOD, description: '\0' }, json('description holds a NUL')],
  ['{"read_sql":"\\ud800"}', json('read_sql holds half of a character')],

  [{ read_sql: 'SELECT 1' }, '400 invalid_record: invalid location ""'],
  [{ ...GOOD, location: 'a.b' }, '400 invalid_record: invalid location "a.b"'],
  [{ ...GOOD, location: 'a/b' }, '400 invalid_record: invalid location "a/b"'],
  [{ ...GOOD, location: '..' }, '400 invalid_record: invalid location ".."'],
  [{ ...GOOD, location: 'a\n"' }, '400 invalid_record: invalid location "a\\n\\""'],
  [{ ...GOOD, location: 'x'.repeat(64) }, `400 invalid_record: invalid location "${'x'.repeat(64)}"`], // prettier-ignore
  [{ ...GOOD, location: 'registry' }, '400 invalid_record: invalid location "registry"'],
  [{ ...GOOD, location: null }, '400 invalid_record: invalid location ""'],
  [{ location: 'itest', read_sql: 'SELECT 1' }, '400 invalid_record: invalid name ""'],
  [{ ...GOOD, name: 'a b' }, '400 invalid_record: invalid name "a b"'],
  [{ ...GOOD, database: 'a b' }, '400 invalid_record: invalid database "a b"'],
  [{ ...GOOD, database: 'nodb' }, '400 unknown_database: database not registered: nodb'],
  [{ ...GOOD, database: 'Other' }, '400 unknown_database: database not registered: Other'],
  [{ location: 'itest', name: 'rec' }, '400 invalid_record: at least one verb SQL column is required'], // prettier-ignore
  [{ ...GOOD, read_sql: '', write_sql: null }, '400 invalid_record: at least one verb SQL column is required'], // prettier-ignore

  [{ ...GOOD, read_sql: "SELECT '{{.a'" }, '400 invalid_template: read_sql: could not parse script itest/rec:1:11: bad character U+0027 \'\'\''], // prettier-ignore
  [{ ...GOOD, write_sql: 'SELECT 1\n{{if}}' }, '400 invalid_template: write_sql: could not parse script itest/rec:2:5: missing value for if'], // prettier-ignore
  [{ ...GOOD, update_sql: '{{nope}}' }, '400 invalid_template: update_sql: could not parse script itest/rec:1:3: function "nope" not defined; for the value of a parameter write {{sqlVal "nope"}}'], // prettier-ignore
];

const REQUESTS: [target: string, ask: Ask, wanted: string][] = [
  // path, query string and body that differ
  ['PUT /itest/rec', { body: { ...GOOD, location: 'x' } }, '400 invalid_record: location "x" in the body differs from "itest" in the URL'], // prettier-ignore
  ['PUT /itest/rec', { body: { ...GOOD, name: '' } }, '400 invalid_record: name "" in the body differs from "rec" in the URL'], // prettier-ignore
  ['PUT /itest/rec', { body: { ...GOOD, database: 'main' } }, '400 invalid_record: database "main" in the body differs from "" in the URL'], // prettier-ignore
  ['PUT /main/itest/rec', { body: { ...GOOD, database: '' } }, '400 invalid_record: database "" in the body differs from "main" in the URL'], // prettier-ignore
  ['POST /main', { body: { ...GOOD, database: 'other' } }, '400 invalid_record: database "other" in the body differs from "main" in the URL'], // prettier-ignore
  ['POST /?database=main', { body: { ...GOOD, database: 'other' } }, '400 invalid_record: database "other" in the body differs from "main" in the URL'], // prettier-ignore
  ['PUT /main/itest/rec?database=other', { body: GOOD }, query('database "other" differs from "main" in the path')], // prettier-ignore
  ['GET /main/itest/rec?database=', {}, query('database "" differs from "main" in the path')],
  ['GET /main?database=other', {}, query('database "other" differs from "main" in the path')],
  ['PUT /registry/rec', { body: { read_sql: 'SELECT 1' } }, '400 invalid_record: invalid location "registry"'], // prettier-ignore

  // databases
  ['GET /nodb', {}, '400 unknown_database: database not registered: nodb'],
  ['GET /nodb/itest/rec', {}, '400 unknown_database: database not registered: nodb'],
  ['GET /itest/rec?database=nodb', {}, '400 unknown_database: database not registered: nodb'],
  ['DELETE /itest/rec?database=a.b', {}, '400 invalid_record: invalid database "a.b"'],
  ['GET /?database=nodb', {}, '200 []'],
  ['GET /?database=a.b&location=c.d', {}, '200 []'],

  // query strings
  ['GET /?database=a&database=a', {}, query('database is given more than once')],
  ['GET /itest/rec?history&history', {}, query('history is given more than once')],
  ['GET /?locaton=x', {}, query('unknown parameter "locaton"')],
  ['PUT /itest/rec?validat=true', { body: GOOD }, query('unknown parameter "validat"')],
  ['GET /itest/rec?location=itest', {}, query('unknown parameter "location"')],
  ['GET /?history', {}, query('history means nothing in this request')],
  ['GET /?validate=true', {}, query('validate means nothing in this request')],
  ['GET /itest/rec?rollback=1', {}, query('rollback means nothing in this request')],
  ['PUT /itest/rec?rollback=1', { body: GOOD }, query('rollback means nothing in this request')],
  ['POST /?rollback=1', { body: GOOD }, query('rollback means nothing in this request')],
  ['DELETE /itest/rec?validate=only', {}, query('validate means nothing in this request')],
  ['GET /itest/rec?history&validate', {}, query('history and validate cannot be asked for together')], // prettier-ignore
  ['GET /itest/rec?history=1', {}, query('history must be true or false')],
  [
    'PUT /itest/rec?validate=yes',
    { body: GOOD },
    query('validate must be true, only, compatible or false'),
  ],
  ['GET /itest/rec?validate=compatible', {}, query('validate=compatible is for requests that store a script')], // prettier-ignore
  ['POST /itest/rec?rollback=', {}, query('rollback must be the number of a version')],
  ['POST /itest/rec?rollback=-1', {}, query('rollback must be the number of a version')],
  ['POST /itest/rec?rollback=1e3', {}, query('rollback must be the number of a version')],
  ['GET /?_page=x', {}, '400 invalid_listing: invalid _page: it must be a whole number, at most 2147483647'], // prettier-ignore
  ['GET /itest/rec?history&_page=1&_page_size=-1', {}, '400 invalid_listing: invalid _page_size: it must be a whole number, at most 2147483647 and not negative'], // prettier-ignore
  ['GET /?_page=1&_page=2', {}, query('_page is given more than once')],
  ['GET /?location=%zz', {}, '400 invalid_query_string: invalid query string'],
  ['GET /?_renderer=xml', {}, '200 []'],

  // what is not there
  ['GET /itest/rec', {}, '404 query_not_found: query not found'],
  ['HEAD /itest/rec', {}, '404 query_not_found: query not found'],
  ['GET /main/itest/rec', {}, '404 query_not_found: query not found'],
  ['GET /itest/rec?validate', {}, '404 query_not_found: query not found'],
  ['GET /itest/rec?history', {}, '404 query_not_found: query not found'],
  ['DELETE /itest/rec', {}, '404 query_not_found: query not found'],
  ['DELETE /itest/rec', { ifMatch: '"1-1"' }, '404 query_not_found: query not found'],
  ['GET /itest/rec', { ifMatch: '*' }, '404 query_not_found: query not found'],
  ['POST /itest/rec?rollback=1', {}, '404 version_not_found: version not found'],
  ['POST /itest/rec?rollback=0', {}, '404 version_not_found: version not found'],
  [`POST /itest/rec?rollback=${'9'.repeat(30)}`, {}, '404 version_not_found: version not found'],
  ['POST /itest/rec?rollback=1', { body: GOOD }, '400 invalid_record: a rollback takes no body'],
  ['POST /itest/rec', { body: GOOD }, '405 method_not_allowed: POST to a script needs ?rollback=VERSION; PUT stores it'], // prettier-ignore

  // conditions
  ['PUT /itest/rec', { body: GOOD, ifMatch: '"1-1"' }, '412 precondition_failed: the script was changed by somebody else'], // prettier-ignore
  ['PUT /itest/rec', { body: GOOD, ifMatch: '*' }, '412 precondition_failed: the script was changed by somebody else'], // prettier-ignore
  ['POST /', { body: GOOD, ifMatch: '*' }, '412 precondition_failed: the script was changed by somebody else'], // prettier-ignore
  ['PUT /itest/rec', { body: GOOD, ifMatch: '1-1' }, `400 invalid_request: If-Match ${TAGS}`],
  ['PUT /itest/rec', { body: GOOD, ifMatch: ',' }, `400 invalid_request: If-Match ${TAGS}`],
  ['PUT /itest/rec', { body: GOOD, ifMatch: '*, "1-1"' }, `400 invalid_request: If-Match ${TAGS}`],
  ['PUT /itest/rec', { body: GOOD, ifMatch: '"1-1" "2-2"' }, `400 invalid_request: If-Match ${TAGS}`], // prettier-ignore
  ['PUT /itest/rec', { body: GOOD, ifMatch: '"1-1' }, `400 invalid_request: If-Match ${TAGS}`],
  ['PUT /itest/rec', { body: GOOD, ifMatch: 'w/"1-1"' }, `400 invalid_request: If-Match ${TAGS}`],
  ['DELETE /itest/rec', { ifNoneMatch: 'x' }, `400 invalid_request: If-None-Match ${TAGS}`],
];

for (const [body, wanted] of BODIES)
  t.test(
    typeof body === 'string' ? body.slice(0, 80) : JSON.stringify(body ?? null).slice(0, 80),
    async (t) => {
      t.equal(await registry.error('POST /', body === undefined ? {} : { body }), wanted);
    },
  );

for (const [target, ask, wanted] of REQUESTS)
  t.test(`${target} ${ask.ifMatch ?? ''}${ask.ifNoneMatch ?? ''}`, async (t) => {
    t.equal(await registry.error(target, ask), wanted);
  });

t.test('a template tells where it is wrong', async (t) => {
  const { json } = await registry.ask('PUT /main/itest/rec', {
    body: { delete_sql: 'DELETE FROM x\nWHERE é = {{' },
  });
  t.match(json, { script: 'itest/rec', verb: 'delete', line: 2 });
});

t.test('405 says what else there is', async (t) => {
  const { headers } = await registry.ask('POST /itest/rec');
  t.strictSame(headers, { Allow: 'GET, HEAD, PUT, DELETE, OPTIONS' });
});

t.test('nothing was stored, nothing was reported, nothing was logged', async (t) => {
  t.strictSame(await server.sql('SELECT * FROM service_queries'), []);
  t.strictSame(await server.sql('SELECT * FROM service_queries_history'), []);
  t.equal(registry.refreshed, 0);
  t.strictSame(registry.logged, []);
});
