/** Requests whose values do not fit a script: the parameter is named, in the response and in the log, never its value. */
import t from 'tap';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner } from '../support/query-runner.js';
import { requestLine } from '../support/request-line.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, day date, tags text[], doc jsonb);
    CREATE FUNCTION number(value text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN value::int; END $$;
    CREATE FUNCTION refuse(value text) RETURNS int LANGUAGE plpgsql AS $$
      BEGIN RAISE 'not "%"', value USING ERRCODE = '22023'; END $$`,
});
const database = databaseSettings('test', postgres);

const SCRIPTS = {
  's/page.read.sql': 'SELECT id FROM item {{limitOffset ._page ._page_size}}',
  's/tags.read.sql': 'SELECT 1 AS n{{range .tags}}, 2{{end}}',
  's/over.read.sql': 'SELECT 1 AS n\n{{if gt .n 5}}WHERE true{{end}}',
  's/sort.read.sql': 'SELECT id FROM item ORDER BY {{ident "by"}}',
  's/broken.read.sql': 'SELECT 1\n{{limitOffset "x" 1}}',
  's/value.read.sql': 'SELECT {{sqlVal "a"}}::text, {{sqlVal "n"}}::int',
  's/twice.read.sql': 'SELECT id FROM item WHERE id = {{sqlVal "n"}} OR id = {{sqlVal "m"}}',
  's/list.read.sql': 'SELECT id FROM item WHERE id IN {{sqlList "ids"}}',
  's/any.read.sql': 'SELECT id FROM item WHERE tags && {{sqlVal "tags"}}::text[]',
  's/json.read.sql': 'SELECT {{sqlVal "a"}}::text, {{sqlVal "doc"}}::jsonb',
  's/later.read.sql': 'SELECT {{sqlVal "a"}}::text, ({{sqlVal "n"}}::text)::int',
  's/inside.read.sql': 'SELECT number({{sqlVal "n"}})',
  's/raised.read.sql': 'SELECT refuse({{sqlVal "n"}})',
  's/zero.read.sql': 'SELECT 1 / {{sqlVal "n"}}::int',
  's/literal.read.sql': "SELECT '{{.day}}'::date, '{{.other}}'",
  's/row.read.sql': 'SELECT x::int FROM (VALUES (\'secret\')) v (x) WHERE {{sqlVal "n"}}::int = 1',
  's/add.write.sql': 'INSERT INTO item (id, day) VALUES ({{sqlVal "id"}}, {{sqlVal "day"}})',
};

const FAILED = 'could not execute sql, check your service logs';
const invalid = (parameter: string, why: string) =>
  `400 invalid_parameter ${parameter}: invalid value for parameter ${parameter}: ${why}`;

const CASES: Readonly<Record<string, string>> = {
  's/page?_page=x': invalid('_page', 'expected an integer'),
  's/page?_page_size=x': invalid('_page_size', 'expected an integer'),
  's/page?_page=1&_page=2': invalid('_page', 'expected an integer'),
  's/page?_page=99999999999999999999': invalid('_page', 'expected an integer'),
  's/tags?tags=a': invalid('tags', 'expected several values: repeat the parameter'),
  's/over?n=secret': invalid('n', 'expected a value that can be compared with an integer'),
  's/over': invalid('n', 'it is missing, expected a value'),
  's/sort?by=a-b':
    '400 script_not_usable by: could not parse script s/sort, check your service logs',
  's/sort': '400 script_not_usable by: could not parse script s/sort, check your service logs',
  's/broken':
    '400 script_not_usable undefined: could not parse script s/broken, check your service logs',
  's/value?a=b&n=secret': `400 22P02 n: ${FAILED}`,
  's/value?a=b&n=99999999999': `400 22003 n: ${FAILED}`,
  's/twice?n=1&m=secret': `400 22P02 m: ${FAILED}`,
  's/list?ids=1&ids=secret': `400 22P02 ids: ${FAILED}`,
  's/any?tags=secret': `400 22P02 tags: ${FAILED}`,
  's/json?a=secret&doc=[secret $1': `400 22P02 doc: ${FAILED}`,
  's/later?a=b&n=secret': `400 22P02 n: ${FAILED}`,
  's/later?a=secret&n=secret': `400 22P02 undefined: ${FAILED}`,
  's/inside?n=secret': `400 22P02 n: ${FAILED}`,
  's/raised?n=secret': `400 22023 undefined: ${FAILED}`,
  's/zero?n=0': `400 22012 undefined: ${FAILED}`,
  's/literal?day=secret&other=secret': `400 22007 day: ${FAILED}`,
  's/row?n=1': `400 22P02 undefined: ${FAILED}`,
  'POST s/add?id=1&day=secret': `400 22007 day: ${FAILED}`,
  'POST s/add?id=1&day=2024-13-45': `400 22008 day: ${FAILED}`,
};

t.test('status, code, parameter and message', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  // The second time, statements are prepared by name.
  for (const round of [1, 2, 3])
    for (const [request, expected] of Object.entries(CASES)) {
      const { method, target } = requestLine(request);
      const answer = await runner.ask(encodeURI(target), { method });
      const { error, code, parameter } = JSON.parse(answer.slice(4)) as Record<string, string>;
      t.equal(
        `${answer.slice(0, 3)} ${code} ${parameter}: ${error}`,
        expected,
        `${round} ${request}`,
      );
      t.notMatch(answer, 'secret');
    }
  t.notMatch(JSON.stringify(runner.logged), /secret|99999|13-45/);
  t.equal(runner.logged.length, 3 * Object.keys(CASES).length, 'a line each');
  t.ok(runner.logged.every((line) => typeof line['requestId'] === 'string'));
});

t.test('the log names position and parameter', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  await runner.ask('s/over?n=secret');
  await runner.ask('s/value?a=b&n=secret');
  t.match(runner.logged, [
    { level: 'warn', requestId: 'r1', script: 's/over', position: 's/over:2:6', parameter: 'n' },
    { level: 'warn', requestId: 'r2', script: 's/value', state: '22P02', parameter: 'n' },
  ]);
});

t.test('what is expected instead of an identifier', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  const answer = await runner.ask('s/sort?by=a-b');
  t.match(JSON.parse(answer.slice(4)), { parameter: 'by', expected: 'an identifier' });
});
