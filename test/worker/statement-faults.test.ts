/** Statements that PostgreSQL does not take: whether the script is to blame, or the caller whose text became SQL. */
import t from 'tap';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner } from '../support/query-runner.js';
import { requestLine } from '../support/request-line.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE item (id int, name text);
    INSERT INTO item VALUES (1, 'a');
    CREATE FUNCTION fail(state text) RETURNS int LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = state, MESSAGE = 'raised'; END $$`,
});

const FAILED = 'could not execute sql, check your service logs';
const PLACEHOLDER = `the script has a placeholder inside quotes or a comment, where it is plain text: write '%' || {{sqlVal "name"}} || '%', not '%{{sqlVal "name"}}%'`;
const REFUSED = 'PostgreSQL does not accept the statement with';

const SCRIPTS = {
  'p/like.read.sql': `SELECT id FROM item\nWHERE name LIKE '%{{sqlVal "t"}}%'`,
  'p/like.write.sql': `DELETE FROM item WHERE name LIKE '%{{sqlVal "t"}}%'`,
  'p/comment.read.sql': `SELECT id FROM item -- of {{sqlVal "t"}}\n`,
  'p/dollar.write.sql': `DO $x$ BEGIN PERFORM {{sqlVal "t"}}; END $x$`,
  'p/first.read.sql': `SELECT '{{sqlVal "t"}}' AS a, {{sqlVal "u"}} AS b`,
  'p/number.read.sql': `SELECT id FROM item WHERE id = '{{sqlVal "t"}}'`,
  'p/list.read.sql': `SELECT id FROM item WHERE id = ANY('{ {{sqlVal "t"}} }'::int[])`,
  'p/name.read.sql': `SELECT "{{sqlVal "t"}}" FROM item`,
  'p/sort.read.sql': `SELECT id FROM item WHERE name LIKE '%{{sqlVal "t"}}%' ORDER BY {{.sort}}`,
  'p/price.read.sql': `SELECT '{{"$5"}}' AS price, {{sqlVal "t"}}::int AS n`,
  'p/own.read.sql': 'SELECT $2::int AS a, {{sqlVal "t"}} AS b',
  'p/right.read.sql': `SELECT id FROM item WHERE name LIKE '%' || {{sqlVal "t"}} || '%'`,
  'c/sort.read.sql': 'SELECT id FROM item ORDER BY {{.sort}}',
  'c/sort.write.sql': 'UPDATE item SET {{.sort}} = 1',
  'c/two.read.sql': 'SELECT {{.cols}} FROM item ORDER BY {{.sort}}',
  'c/name.read.sql': 'SELECT {{ident "col"}} FROM item',
  'c/text.read.sql': `SELECT nope FROM item WHERE name = '{{.v}}' AND name IN {{inFormat "v"}}`,
  'c/bound.read.sql':
    'SELECT nope FROM item WHERE name = {{sqlVal "v"}} {{limitOffset ._page ._page_size}}',
  'c/page.read.sql': 'SELECT nope FROM item LIMIT {{._page_size}}',
  'c/header.read.sql': 'SELECT id FROM item ORDER BY {{index .header "X-Sort"}}',
  'c/credential.read.sql': 'SELECT id FROM item ORDER BY {{index .header "Authorization"}}',
  'c/comment.read.sql': 'SELECT nope FROM item -- {{.v}}',
  'c/denied.read.sql': 'SELECT {{.v}}, pg_read_file($$x$$)',
  'c/raised.read.sql': 'SELECT fail({{sqlVal "state"}}), {{.v}}',
};

const CASES: Readonly<Record<string, string>> = {
  // A placeholder where it is only text.
  'p/like?t=a': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'POST p/like?t=a': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/comment?t=a': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'POST p/dollar?t=a': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/first?t=a&u=b': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/number?t=1': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/list?t=1': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/name?t=id': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/sort?t=a&sort=nope': `500 placeholder_in_literal ${PLACEHOLDER}`,
  'p/price?t=a': `400 22P02 ${FAILED}`,
  'p/own?t=a': `500 08P01 ${FAILED}`,
  // What a caller's text did.
  'c/sort?sort=nope': `400 invalid_value invalid value for parameter sort: ${REFUSED} it`,
  'c/sort?sort=name 2': `400 invalid_value invalid value for parameter sort: ${REFUSED} it`,
  'c/sort?sort=': `400 invalid_value invalid value for parameter sort: ${REFUSED} it`,
  'c/sort': '400 invalid_value invalid value for parameter sort: it is missing',
  'POST c/sort?sort=nope': `400 invalid_value invalid value for parameter sort: ${REFUSED} it`,
  'c/two?cols=id&sort=nope': `400 invalid_value invalid value for parameters cols, sort: ${REFUSED} them`,
  'c/two?cols=id': `400 invalid_value invalid value for parameters cols, sort: ${REFUSED} them; missing: sort`,
  'c/two': '400 invalid_value invalid value for parameters cols, sort: they are missing',
  'c/name?col=nope': `400 invalid_value invalid value for parameter col: ${REFUSED} it`,
  'c/header': '400 invalid_value invalid value for parameter header.X-Sort: it is missing',
  'c/page?_page_size=5': `400 invalid_value invalid value for parameter _page_size: ${REFUSED} it`,
  'c/raised?state=42704&v=1': `400 invalid_value invalid value for parameter v: ${REFUSED} it`,
  // What it did not.
  'c/text?v=a': `500 42703 ${FAILED}`,
  'c/text': `500 42703 ${FAILED}`,
  'c/bound?v=a': `500 42703 ${FAILED}`,
  'c/page': `500 42703 ${FAILED}`,
  'c/credential': `500 42601 ${FAILED}`,
  'c/comment?v=a': `500 42703 ${FAILED}`,
  'c/comment': `500 42703 ${FAILED}`,
  'c/raised?state=42501&v=1': `403 42501 ${FAILED}`,
  'c/raised?state=42P18&v=1': `500 42P18 ${FAILED}`,
  'c/raised?state=08P01&v=1': `500 08P01 ${FAILED}`,
  'c/raised?state=08006&v=1': `503 08006 ${FAILED}`,
};

const database = databaseSettings('test', postgres);

t.test('status, code and message', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  for (const [request, expected] of Object.entries(CASES)) {
    const { method, target } = requestLine(request);
    const answer = await runner.ask(target.replaceAll(' ', '%20'), { method });
    const { error, code } = JSON.parse(answer.slice(4)) as { error: string; code: string };
    t.equal(`${answer.slice(0, 3)} ${code} ${error}`, expected, request);
  }
  t.equal(await runner.ask('p/right?t=a'), '200 [{"id":1}]');
  t.equal(await runner.ask('c/sort?sort=id'), '200 [{"id":1}]');
});

t.test('the parameter has a member of its own', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  const parameters = {
    'c/sort?sort=nope': 'sort',
    'c/sort?sort=a--b': 'sort',
    'c/two?cols=id&sort=nope': 'cols',
    'c/header': 'header.X-Sort',
    'c/bound?v=a': undefined,
  };
  for (const [target, expected] of Object.entries(parameters)) {
    const { parameter } = JSON.parse((await runner.ask(target)).slice(4)) as { parameter?: string };
    t.equal(parameter, expected, target);
  }
});

t.test('the log says where the placeholder stands', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  await runner.ask('p/like?t=a');
  await runner.ask('p/first?t=a&u=b');
  const failures = runner.logged.filter((line) => 'requestId' in line); // the others warn about the scripts
  t.match(failures, [
    { level: 'warn', state: '08P01', script: 'p/like', position: 'p/like:2:21' },
    { level: 'warn', state: '42P18', script: 'p/first', position: 'p/first:1:11' },
  ]);
});

t.test('debug adds the words of the database', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS, settings: { debug: true } });
  t.match(JSON.parse((await runner.ask('c/sort?sort=nope')).slice(4)), {
    code: 'invalid_value',
    message: 'column "nope" does not exist',
    position: 'c/sort:1:32',
  });
});
