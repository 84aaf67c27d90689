/** The status and code of each failure, and what of it a caller is told. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService, type AskOptions } from '../support/service.js';
import { until } from '../support/until.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE EXTENSION btree_gist;
    CREATE TABLE parent (id int PRIMARY KEY);
    CREATE TABLE child (
      id int PRIMARY KEY, parent int REFERENCES parent, name text NOT NULL CHECK (name <> 'bad'),
      EXCLUDE USING gist (name WITH =));
    INSERT INTO parent VALUES (1);
    INSERT INTO child VALUES (1, 1, 'first');
    CREATE TABLE hidden (id int);
    CREATE FUNCTION fail(state text, message text) RETURNS int LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = 'its detail', HINT = 'its hint'; END $$;
    CREATE ROLE caller LOGIN PASSWORD 'caller';
    GRANT SELECT, INSERT ON parent, child TO caller;
    CREATE ROLE reader LOGIN PASSWORD 'reader';
    GRANT SELECT, INSERT ON parent TO reader;
    ALTER ROLE reader SET default_transaction_read_only = on`,
});
const { host, port } = postgres;
const as = (role: string): string => `postgres://${role}:${role}@${host}:${port}/postgres`;

const scripts = {
  'fail/with.read.sql': 'SELECT fail({{sqlVal "state"}}, {{sqlVal "message"}})',
  'fail/with.write.sql': 'SELECT fail({{sqlVal "state"}}, {{sqlVal "message"}})',
  'child/add.write.sql':
    'INSERT INTO child VALUES ({{sqlVal "id"}}, {{sqlVal "parent"}}, {{sqlVal "name"}})',
  'parent/add.write.sql': 'INSERT INTO parent VALUES (99)',
  'number/half.read.sql': 'SELECT 1 / {{sqlVal "n"}}::int AS half',
  'hidden/all.read.sql': 'SELECT * FROM hidden',
  'slow/sleep.read.sql': 'SELECT pg_sleep(60), $marker$one that sleeps$marker$',
  'slow/sleep.write.sql': 'SELECT pg_sleep(60), $marker$one that sleeps$marker$',
  'broken/column.read.sql': 'SELECT 1,\n  nope\nFROM parent',
  'broken/table.update.sql': 'UPDATE nope SET a = 1',
  'broken/template.read.sql': 'SELECT {{if}}',
  'broken/word.read.sql': 'SELEC 1',
  'broken/placeholder.read.sql': 'SELECT $2::int, {{sqlVal "a"}}',
  'plain/value.read.sql': "SELECT '{{.v}}' AS v",
};
const config = { 'pg.statement_timeout': '2s' };
const service = await startService(t, { database: as('caller'), scripts, config });
/** One that hides what is raised on purpose, and whose statements may take their time. */
const hiding = await startService(t, {
  database: as('caller'),
  scripts,
  config: { 'queries.raised_messages': false },
});

const FAILED = 'could not execute sql, check your service logs';

/** Requests by the error they end in, with the parameter that it names; a method before the target when it is not GET. */
const NATURAL: Readonly<Record<string, string>> = {
  'POST child/add?id=1&parent=1&name=x': '409 23505',
  'POST child/add?id=2&parent=7&name=x': '409 23503',
  'POST child/add?id=2&parent=1&name=first': '409 23P01',
  'POST child/add?id=2&parent=1': '400 23502',
  'POST child/add?id=2&parent=1&name=bad': '400 23514',
  'POST child/add?id=two&parent=1&name=x': '400 22P02 id',
  'POST child/add?id=2&parent=two&name=x': '400 22P02 parent',
  'number/half?n=0': '400 22012',
  'number/half?n=x': '400 22P02 n',
  'number/half?n=99999999999': '400 22003 n',
  'hidden/all': '403 42501',
  'slow/sleep': '504 timeout',
  'POST slow/sleep': '504 timeout',
  'broken/column': '500 42703',
  'PATCH broken/table': '500 42P01',
  'broken/word': '500 42601',
  'broken/placeholder?a=1': '500 08P01',
};

/** What a function raises on purpose: SQLSTATE to status. */
const RAISED: Readonly<Record<string, number>> = {
  40001: 409,
  '40P01': 409,
  '55P03': 409,
  '08006': 503,
  '08P01': 500,
  53200: 503,
  53300: 503,
  '57P01': 503,
  25006: 503,
  42501: 403,
  22023: 400,
  23000: 400,
  XX000: 500,
  '0A000': 500,
  PT399: 500,
  PT600: 500,
  PTABC: 500,
};

/** Of these a caller learns what failed. */
const REASONED = /^(?:08006|2[23]|25006|40|53|55|57P)/;

const OWN: Readonly<Record<string, number>> = { P0001: 400, PT400: 400, PT422: 422, PT599: 599 };

t.test('of PostgreSQL, told without its words', async (t) => {
  const failures = Object.entries(NATURAL);
  for (const [state, status] of Object.entries(RAISED))
    for (const method of ['GET', 'POST'])
      failures.push([`${method} fail/with?state=${state}&message=hush`, `${status} ${state}`]);
  const failed = async ([request, expected]: readonly [string, string]): Promise<void> => {
    const [target, method = 'GET'] = request.split(' ').reverse() as [string, string?];
    const { status, json, text, headers } = await service.ask(target, { method });
    const [wanted, code, parameter] = expected.split(' ');
    t.equal(`${status} ${(json as { code: string }).code}`, `${wanted} ${code}`, request);
    const { reason, constraint, column, table, ...rest } = json as Record<string, unknown>;
    t.same(rest, { error: FAILED, code, ...(parameter === undefined ? {} : { parameter }) });
    t.equal(typeof reason, REASONED.test(code!) ? 'string' : 'undefined', `a reason of ${code}`);
    t.match(
      [constraint, column, table].filter(Boolean).join(' '),
      /^(?:child_\w+ child|name child)?$/,
    );
    t.notMatch(text, 'hush');
    t.match(headers.get('content-type'), /^application\/json/);
    if (status === 503) t.match(headers.get('retry-after'), /^[1-9]\d*$/);
    else t.equal(headers.get('retry-after'), null);
  };
  await Promise.all(failures.map(failed));
});

t.test('a role that may only read', async (t) => {
  const service = await startService(t, { database: as('reader'), scripts });
  const { status, headers, text } = await service.ask('parent/add', { method: 'POST' });
  t.equal(status, 503);
  t.ok(headers.has('retry-after'));
  t.match(text, JSON.stringify({ error: FAILED, code: '25006' }).slice(0, -1));
});

t.test('what a statement over its time leaves behind', async (t) => {
  t.equal(await service.error('slow/sleep'), '504 timeout');
  await until(async () => {
    const running = await postgres.sql(
      `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%one that sleeps%' AND pid <> pg_backend_pid()`,
    );
    return running.length === 0;
  });
});

t.test('a statement that somebody else cancels is not over its time', async (t) => {
  const answer = hiding.error('slow/sleep');
  await until(async () => {
    const cancelled = await postgres.sql(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%one that sleeps%' AND pid <> pg_backend_pid()`,
    );
    return cancelled.length > 0;
  });
  t.equal(await answer, '500 57014');
});

t.test('raised on purpose: the message is passed on', async (t) => {
  for (const [state, status] of Object.entries(OWN))
    for (const method of ['GET', 'POST']) {
      const target = `fail/with?state=${state}&message=${encodeURIComponent('sold "out" é')}`;
      const answer = await service.ask(target, { method });
      t.equal(answer.status, status, state);
      t.equal(answer.text, JSON.stringify({ error: 'sold "out" é', code: state }));
    }
});

t.test('raised on purpose, but hidden', async (t) => {
  for (const [state, status] of Object.entries(OWN)) {
    const answer = await hiding.ask(`fail/with?state=${state}&message=hush`);
    t.equal(answer.status, status);
    t.equal(answer.text, JSON.stringify({ error: FAILED, code: state }));
  }
});

t.test('with debug on, in the words of the database', async (t) => {
  const debugging = await startService(t, {
    database: as('caller'),
    scripts,
    config: { ...config, debug: true },
  });
  const cases: readonly (readonly [target: string, options: AskOptions, answer: unknown])[] = [
    [
      'child/add?id=1&parent=1&name=x',
      { method: 'POST' },
      {
        error: FAILED,
        code: '23505',
        message: 'duplicate key value violates unique constraint "child_pkey"',
        detail: 'Key (id)=(1) already exists.',
        constraint: 'child_pkey',
        table: 'child',
        reason: 'there is a row with this key already',
      },
    ],
    [
      'broken/column',
      {},
      {
        error: FAILED,
        code: '42703',
        message: 'column "nope" does not exist',
        position: 'broken/column:2:3',
      },
    ],
    [
      'fail/with?state=PT418&message=tea',
      {},
      { error: 'tea', code: 'PT418', message: 'tea', detail: 'its detail', hint: 'its hint' },
    ],
    ['plain/nope', {}, { error: 'script not found: plain/nope', code: 'script_not_found' }],
  ];
  for (const [target, options, answer] of cases)
    t.strictSame((await debugging.ask(target, options)).json, answer, target);
});

t.test('the first failure answers', async (t) => {
  const cases: readonly (readonly [
    request: string,
    expected: string,
    error: string,
    members?: object,
  ])[] = [
    ['GET no.db/plain/nope?v=%zz', '400 invalid_identifier', 'invalid identifier in path'],
    ['GET nodb/plain/nope?v=%zz', '400 unknown_database', 'database not registered: nodb'],
    ['OPTIONS nodb/plain/value', '400 unknown_database', 'database not registered: nodb'],
    ['POST plain/nope?v=%zz', '404 script_not_found', 'script not found: plain/nope'],
    ['POST plain/value?v=%zz', '405 method_not_allowed', 'method not allowed'],
    ['GET plain/value?v=%zz', '400 invalid_query_string', 'invalid query string'],
    [
      'GET broken/template?v=1',
      '400 script_not_usable',
      'could not parse script broken/template, check your service logs',
    ],
    [
      'GET plain/value?v=a%3Bb',
      '400 invalid_value',
      'invalid value for parameter v: it contains SQL syntax that cannot be interpolated safely; use the sqlVal template helper to bind free-form values',
      { parameter: 'v' },
    ],
    ['GET /nowhere?v=%zz', '404 not_found', '404 page not found'],
    ['GET /_QUERIES/plain', '404 not_found', '404 page not found'],
    ['GET /_QUERIES/a/b/c/d', '404 not_found', '404 page not found'],
  ];
  for (const [request, expected, error, members] of cases) {
    const [method = '', target = ''] = request.split(' ');
    const { status, text } = await service.ask(target, { method });
    const body = { error, code: expected.slice(4), ...members };
    t.equal(`${status} ${text}`, `${expected.slice(0, 3)} ${JSON.stringify(body)}`);
  }
});
