/**
 * Scripts with mistakes: each failed request has a line with its id, and `debug` adds where and why to the response, in
 * the terms of the script.
 */
import t from 'tap';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner } from '../support/query-runner.js';
import { requestLine } from '../support/request-line.js';

const postgres = await startPostgres(t, { setup: 'CREATE TABLE item (id int)' });
const database = databaseSettings('test', postgres);

const SCRIPTS = {
  'p/function.read.sql': 'SELECT 1,\n  {{sqlval "a"}}',
  'p/quotes.read.sql': 'SELECT {{sqlVal a}}',
  'p/end.read.sql': 'SELECT 1\n{{if isSet "a"}}WHERE true',
  'p/exec.read.sql': 'SELECT 1\n{{gt .a 5}}',
  'p/broken.read.sql': 'SELECT 1\n{{gt "x" 5}}',
  'p/empty.read.sql': '-- nothing',
  'p/session.write.sql': 'SET a = 1',
  'f/open.read.sql': 'SELECT id FROM item WHERE',
  'f/paren.read.sql': 'SELECT (1',
  'f/closed.read.sql': "SELECT ')' AS a, 1)",
  'f/string.read.sql': "SELECT 'abc",
  'f/comment.read.sql': 'SELECT 1 /* abc',
  'f/name.read.sql': 'SELECT 1 AS "abc',
  'f/dollar.read.sql': 'SELECT $x$abc',
  'f/word.read.sql': 'SELECT id FRM item x',
  'f/write.read.sql': 'INSERT INTO item VALUES (1)',
  'f/with.read.sql': 'WITH w AS (DELETE FROM item RETURNING id) SELECT * FROM w',
};

const UNUSABLE = (script: string) => `could not parse script ${script}, check your service logs`;
const SUFFIX = 'does not run in a read script: use the suffix';
const FAILED = 'could not execute sql, check your service logs';

/** A request, and its whole body with `debug`. */
const CASES: readonly [request: string, body: unknown][] = [
  [
    'p/function',
    {
      error: UNUSABLE('p/function'),
      code: 'script_not_usable',
      message: 'template: p/function:2: function "sqlval" not defined',
      hint: 'the nearest is sqlVal',
      position: 'p/function:2:5',
    },
  ],
  [
    'p/quotes',
    {
      error: UNUSABLE('p/quotes'),
      code: 'script_not_usable',
      message: 'template: p/quotes:1: function "a" not defined',
      hint: 'quotes are missing: write {{sqlVal "a"}}',
      position: 'p/quotes:1:17',
    },
  ],
  [
    'p/end',
    {
      error: UNUSABLE('p/end'),
      code: 'script_not_usable',
      message: 'template: p/end:2: unexpected EOF',
      hint: 'the {{if}} of line 2 has no {{end}}',
      position: 'p/end:2:27',
    },
  ],
  [
    'p/exec?a=7',
    {
      error: 'invalid value for parameter a: expected a value that can be compared with an integer',
      code: 'invalid_parameter',
      parameter: 'a',
      message:
        'template: p/exec:2:2: executing "p/exec" at <gt .a 5>: error calling gt: incompatible types for comparison: string and int',
      position: 'p/exec:2:3',
    },
  ],
  [
    'p/broken',
    {
      error: UNUSABLE('p/broken'),
      code: 'script_not_usable',
      message:
        'template: p/broken:2:2: executing "p/broken" at <gt "x" 5>: error calling gt: incompatible types for comparison: string and int',
      position: 'p/broken:2:3',
    },
  ],
  [
    'p/empty',
    {
      error: UNUSABLE('p/empty'),
      code: 'script_not_usable',
      message: 'the text rendered holds no statement',
    },
  ],
  ['POST p/session', { code: 'statement_not_allowed' }],
  [
    'f/open',
    {
      error: FAILED,
      code: '42601',
      message: 'syntax error at the end of the script: its statement is incomplete',
      position: 'f/open:1:26',
    },
  ],
  [
    'f/paren',
    {
      error: FAILED,
      code: '42601',
      message: 'syntax error at the end of the script: its statement is incomplete',
      position: 'f/paren:1:10',
    },
  ],
  [
    'f/closed',
    {
      error: FAILED,
      code: '42601',
      message: 'syntax error in the script: it has a closing parenthesis without an opening one',
      position: 'f/closed:1:20',
    },
  ],
  ['f/string', { message: `unterminated quoted string at or near "'abc"` }],
  ['f/comment', { message: 'unterminated /* comment at or near "/* abc"' }],
  ['f/name', { message: `unterminated quoted identifier at or near ""abc"` }],
  ['f/dollar', { message: 'unterminated dollar-quoted string at or near "$x$abc"' }],
  ['f/word', { message: 'syntax error at or near "item"', position: 'f/word:1:15' }],
  ['f/write', { code: '42601', hint: `INSERT ${SUFFIX} .write.sql` }],
  ['f/with', { code: '0A000', hint: `DELETE ${SUFFIX} .delete.sql` }],
];

t.test('with debug', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS, settings: { debug: true } });
  for (const [request, body] of CASES) {
    const { method, target } = requestLine(request);
    const answer = await runner.ask(target, { method });
    t.match(JSON.parse(answer.slice(4)), body, request);
    t.notMatch(answer, /json_agg|pg_column_size|\) s\b/, request);
  }
});

t.test('each request has a line with its id, the second one too', async (t) => {
  const runner = new TestRunner(t, { database, scripts: SCRIPTS });
  let asked = 0;
  for (const [request] of [...CASES, ...CASES]) {
    const { method, target } = requestLine(request);
    const answer = await runner.ask(target, { method });
    t.notMatch(answer, /"(?:message|position|hint)"/, request);
    const id = `r${++asked}`;
    const lines = runner.logged.filter((line) => line['requestId'] === id);
    const [script] = target.split('?');
    t.match(lines, [{ level: 'warn', script }], request);
    t.equal(lines.length, 1, request);
    t.notMatch(lines, /json_agg|pg_column_size/);
  }
});
