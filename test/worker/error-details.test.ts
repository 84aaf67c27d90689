/** What the response to a failed statement says besides its code: names of the schema, the element of a list, never values. */
import t, { type Test } from 'tap';
import type { WorkerSettings } from '#app/messages/worker-settings.js';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner, type Ask } from '../support/query-runner.js';

const postgres = await startPostgres(t, {
  setup: `CREATE TABLE authors (id int PRIMARY KEY);
    CREATE TABLE books (isbn text UNIQUE, title text NOT NULL CHECK (title <> ''), author int REFERENCES authors);
    INSERT INTO books VALUES ('secret', 'x');
    CREATE DOMAIN short AS text CONSTRAINT is_short CHECK (length(VALUE) < 3);
    CREATE FUNCTION raised() RETURNS int LANGUAGE plpgsql AS $$
      BEGIN RAISE 'x' USING ERRCODE = '23505', CONSTRAINT = 'secret', TABLE = 'secret', COLUMN = 'secret'; END $$`,
});
const database = databaseSettings('test', postgres);

const ADD = `INSERT INTO books (isbn, title, author) VALUES ({{sqlVal "isbn"}}, {{sqlVal "title"}}, {{sqlVal "author"}})`;
const SCRIPTS = {
  's/add.write.sql': ADD,
  's/told.write.sql': `-- @error 23505 books_isbn_key: This ISBN exists
-- @error 23505: Something exists
-- @error 23503 "books_author_fkey": No such author
-- @error P0001: Said here
-- @error 23514: Not like this
${ADD}`,
  's/raised.read.sql': 'SELECT raised()',
  's/said.read.sql': '-- @error 23505: Said here\nSELECT raised()',
  's/short.read.sql': 'SELECT {{sqlVal "v"}}::short',
  's/any.read.sql': 'SELECT {{sqlVal "n"}}::int[]',
  's/list.read.sql': 'SELECT 1 AS n WHERE 1 IN {{sqlList "n"}}',
  's/body.write.sql': 'SELECT unnest({{sqlVal "body.n"}}::int[]), {{sqlVal "body.m"}}::int',
  's/rows.write.sql':
    'SELECT n, s FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS r (n int, s text)',
  's/member.write.sql':
    'SELECT n FROM jsonb_to_recordset({{sqlVal "body.rows"}}::jsonb) AS r (n int)',
  's/missing.read.sql': 'SELECT none FROM books',
};

/** Members of a response by request; those that are undefined must be missing. */
type Members = Readonly<Record<string, unknown>>;

async function ask(t: Test, target: string, how: Ask, settings: Partial<WorkerSettings> = {}) {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS, settings });
  const answer = await runner.ask(target, how);
  t.notMatch(answer, /secret/, 'no value');
  return { status: answer.slice(0, 3), ...(JSON.parse(answer.slice(4)) as Members) };
}

const FAILED = 'could not execute sql, check your service logs';
const POST = { method: 'POST' };

const CASES: readonly (readonly [target: string, how: Ask, expected: Members])[] = [
  ['s/add?isbn=secret&title=a', POST, { status: '409', error: FAILED, code: '23505', constraint: 'books_isbn_key', table: 'books', column: undefined, reason: /already/ }], // prettier-ignore
  ['s/add?isbn=b', POST, { status: '400', code: '23502', column: 'title', table: 'books', constraint: undefined }], // prettier-ignore
  ['s/add?isbn=b&title=', POST, { status: '400', code: '23514', constraint: 'books_title_check', table: 'books' }], // prettier-ignore
  ['s/add?isbn=b&title=b&author=7', POST, { status: '409', code: '23503', constraint: 'books_author_fkey', table: 'books' }], // prettier-ignore
  ['s/add?isbn=b&title=b&author=x', POST, { status: '400', code: '22P02', parameter: 'author', index: undefined, table: undefined }], // prettier-ignore
  ['s/short?v=long', {}, { status: '400', code: '23514', constraint: 'is_short' }],
  ['s/raised', {}, { status: '409', code: '23505', error: FAILED, constraint: undefined, table: undefined, column: undefined }], // prettier-ignore
  ['s/missing', {}, { status: '500', code: '42703', error: FAILED, reason: undefined }],
];

t.test('names of the schema', async (t) => {
  for (const [target, how, expected] of CASES) t.match(await ask(t, target, how), expected, target);
});

t.test('which element of a list', async (t) => {
  const cases: typeof CASES = [
    ['s/any?n=1&n=2&n=secret', {}, { code: '22P02', parameter: 'n', index: 2 }],
    ['s/any?n=1&n=secret&n=secret', {}, { code: '22P02', parameter: 'n', index: 1 }],
    ['s/any?n=secret', {}, { code: '22P02', parameter: 'n', index: undefined }],
    ['s/list?n=1&n=secret', {}, { code: '22P02', parameter: 'n', index: 1 }],
    ['s/body', { ...POST, body: '{"n":[1,99999999999],"m":"1"}' }, { code: '22003', parameter: 'body.n', index: 1 }], // prettier-ignore
    ['s/body', { ...POST, body: '{"n":[1,2],"m":"x"}' }, { code: '22P02', parameter: 'body.m', index: undefined }], // prettier-ignore
    ['s/rows', { ...POST, body: '[{"n":1,"s":"a"},{"n":"secret","s":"b"}]' }, { code: '22P02', parameter: 'request.body', index: 1 }], // prettier-ignore
    ['s/rows', { ...POST, body: '[{"n":1,"s":"secret"},{"n":"secret","s":"b"}]' }, { code: '22P02', parameter: undefined, index: undefined }], // prettier-ignore
    ['s/rows', { ...POST, body: '[{"n":1},{"n":2},{"n":99999999999}]' }, { code: '22003', parameter: 'request.body', index: 2 }], // prettier-ignore
    ['s/member', { ...POST, body: '{"rows":[{"n":"secret"},{"n":2}]}' }, { code: '22P02', parameter: 'body.rows', index: 0 }], // prettier-ignore
  ];
  for (const [target, how, expected] of cases)
    t.match(await ask(t, target, how), expected, `${target} ${how.body}`);
});

t.test('texts that the head declares', async (t) => {
  const cases: typeof CASES = [
    ['s/told?isbn=secret&title=a', POST, { status: '409', code: '23505', error: 'This ISBN exists', constraint: 'books_isbn_key', reason: undefined }], // prettier-ignore
    ['s/told?isbn=b&title=b&author=7', POST, { status: '409', error: 'No such author' }],
    ['s/told?isbn=b&title=', POST, { status: '400', error: 'Not like this' }],
    ['s/told?isbn=b', POST, { status: '400', code: '23502', error: FAILED }],
    ['s/said', {}, { status: '409', code: '23505', error: 'Said here', constraint: undefined }],
  ];
  for (const [target, how, expected] of cases) t.match(await ask(t, target, how), expected, target);
});

t.test('as XML', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  t.equal(
    await runner.ask('s/any?n=1&n=x&_renderer=xml'),
    `400 <objects><error>${FAILED}</error><code>22P02</code><parameter>n</parameter><index>1</index><reason>a value is not valid for its type</reason></objects>`,
  );
});

t.test('without error_details', async (t) => {
  const settings = { details: false };
  t.strictSame(await ask(t, 's/add?isbn=secret&title=a', POST, settings), {
    status: '409',
    error: FAILED,
    code: '23505',
  });
  t.match(await ask(t, 's/told?isbn=secret&title=a', POST, settings), {
    error: 'This ISBN exists',
  });
});
