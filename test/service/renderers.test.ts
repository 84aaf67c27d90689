/** `_renderer=xml`: rows and errors as XML; any other renderer is ignored. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE item ()' });
const service = await startService(t, {
  database: postgres.url,
  scripts: {
    'xml/rows.read.sql': `SELECT * FROM (VALUES (1, 'gopher', NULL), (2, '<&"''>', 'x')) v (id, name, note)`,
    'xml/none.read.sql': 'SELECT 1 WHERE false',
    'xml/one.read.sql': `SELECT 9007199254740993 AS big, ARRAY[1,2] AS list, true AS yes`,
    'xml/odd.read.sql': `SELECT 1 AS "two words", 2 AS "3", chr(1) AS control`,
    'xml/write.write.sql': "SELECT 1 AS id, 'é' AS name",
    'xml/count.delete.sql': 'DELETE FROM item',
    'xml/value.read.sql': "SELECT '{{.v}}' AS v",
    'xml/broken.read.sql': 'SELECT nope',
    'xml/raise.write.sql': 'DO $$ BEGIN RAISE EXCEPTION \'<no> & "never"\'; END $$',
  },
});

const ERRORS: Readonly<Record<string, readonly [status: number, error: string, code: string]>> = {
  'GET xml/nope?': [404, 'script not found: xml/nope', 'script_not_found'],
  'GET xml/broken?': [500, 'could not execute sql, check your service logs', '42703'],
  'GET xml/none?a=%zz&': [400, 'invalid query string', 'invalid_query_string'],
  'POST xml/raise?': [400, '&lt;no&gt; &amp; "never"', 'P0001'],
  'GET xml/a.b?': [400, 'invalid identifier in path', 'invalid_identifier'],
  'POST xml/none?': [405, 'method not allowed', 'method_not_allowed'],
};

t.test('errors', async (t) => {
  for (const [request, [status, error, code]] of Object.entries(ERRORS)) {
    const [method = '', target = ''] = request.split(' ');
    const answer = await service.ask(`${target}_renderer=xml`, { method });
    t.equal(answer.text, `<objects><error>${error}</error><code>${code}</code></objects>`, request);
    t.equal(answer.status, status);
    t.match(answer.headers.get('content-type'), /^application\/xml/);
  }
});

const ANSWERS: Readonly<Record<string, string>> = {
  'GET xml/rows':
    '<object><id>1</id><name>gopher</name><note/></object><object><id>2</id><name>&lt;&amp;"\'&gt;</name><note>x</note></object>',
  'GET xml/one':
    '<object><big>9007199254740993</big><list>1</list><list>2</list><yes>true</yes></object>',
};

t.test('answers', async (t) => {
  for (const [request, objects] of Object.entries(ANSWERS)) {
    const [method = '', target = ''] = request.split(' ');
    const answer = await service.ask(`${target}?_renderer=xml`, { method });
    t.equal(answer.status, 200);
    t.equal(answer.text, `<objects>${objects}</objects>`, request);
    t.match(answer.headers.get('content-type'), /^application\/xml/);
  }
});

t.test('what XML has no form for still is XML', async (t) => {
  for (const request of ['GET xml/odd', 'POST xml/write', 'DELETE xml/count', 'GET xml/none']) {
    const [method = '', target = ''] = request.split(' ');
    const { status, text } = await service.ask(`${target}?_renderer=xml`, { method });
    t.equal(status, 200, `${request}: ${text}`);
    const [valid] = await postgres.sql<{ valid: boolean }>(
      `SELECT xml_is_well_formed_document($1) AS valid`,
      [text],
    );
    t.ok(valid?.valid, text);
  }
});

t.test('other renderers are ignored', async (t) => {
  for (const query of ['_renderer=csv', '_renderer=XML', '_renderer=', 'x_renderer=xml'])
    t.equal((await service.ask(`xml/value?v=1&${query}`)).text, '[{"v":"1"}]');
});
