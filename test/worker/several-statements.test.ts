/** Scripts of several statements: one transaction, the answer of the last one, and errors that name statement and line. */
import t, { type Test } from 'tap';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import { patient } from '../support/database.js';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner, type Ask } from '../support/query-runner.js';

const server = await startPostgres(t, {
  setup: `
    CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE line (item int REFERENCES item DEFERRABLE INITIALLY DEFERRED, n int CHECK (n > 0));
    CREATE TABLE note (id int, owner text);
    ALTER TABLE note ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON note USING (owner = current_setting('request.jwt.claims')::json->>'sub');
    CREATE ROLE caller;
    GRANT ALL ON note TO caller;
    CREATE SEQUENCE calls;
    CREATE TABLE log (n int);
    CREATE PROCEDURE commits() LANGUAGE plpgsql AS 'BEGIN COMMIT; END'`,
});

const COUNTS = `SELECT (SELECT count(*)::int FROM item) AS items, (SELECT count(*)::int FROM line) AS lines`;

const scripts: Record<string, string> = {
  'o/order.write.sql': `-- An item with two lines.
INSERT INTO item VALUES ({{sqlVal "id"}}, {{sqlVal "name"}});
INSERT INTO line VALUES ({{sqlVal "id"}}, {{sqlVal "a"}}),
  ({{sqlVal "id"}}, {{sqlVal "b"}});
UPDATE item SET name = upper(name) || {{sqlVal "a"}}
  WHERE id = {{sqlVal "id"}}
  RETURNING *;
`,
  'o/count.read.sql': COUNTS,
  'o/remove.delete.sql': 'DELETE FROM line; DELETE FROM item',
  'o/deferred.write.sql':
    "INSERT INTO item VALUES (70, 'x');\nINSERT INTO line VALUES (71, 1);\nSELECT 1 AS n",
  'o/unbound.write.sql': `INSERT INTO item VALUES (80, 'x');\nINSERT INTO item VALUES (81, '{{sqlVal "name"}}')`,
  'o/extra.write.sql': `INSERT INTO item VALUES (80, 'x'); INSERT INTO item VALUES (81, $1)`,
  'o/missing.write.sql': `INSERT INTO item VALUES (90, 'x');\n\nSELECT {{sqlVal "a"}}::int, 'é', nope`,
  'o/vacuum.write.sql': `INSERT INTO item VALUES (95, 'x');\n{{if isSet "a"}}VACUUM{{end}}`,
  'o/lock.write.sql':
    "LOCK TABLE item IN EXCLUSIVE MODE; SELECT count(*)::int AS n FROM pg_locks WHERE relation = 'item'::regclass AND pid = pg_backend_pid()",
  'o/temporary.write.sql': `CREATE TEMP TABLE x ON COMMIT DROP AS SELECT {{sqlVal "a"}}::int AS n;
    SELECT n FROM x`,
  'o/big.write.sql': `SELECT repeat('x', 100000) FROM generate_series(1, 100); SELECT 1 AS n`,
  'o/huge.write.sql': `INSERT INTO log VALUES (1); SELECT repeat('x', 1000000) FROM generate_series(1, 40); SELECT 1 AS n`,
  'o/two.read.sql': 'SELECT 1;\nSELECT 2',
  'n/add.write.sql': `INSERT INTO note VALUES ({{sqlVal "id"}}, current_setting('request.jwt.claims')::json->>'sub');
    SELECT current_user AS role, id, owner FROM note ORDER BY id`,
  'n/other.write.sql': `SELECT nextval('calls') AS n;
    INSERT INTO note VALUES ({{sqlVal "id"}}, 'somebody')`,
};

const MANY = Array.from(
  { length: 100 },
  (_, i) => `INSERT INTO log VALUES ({{sqlVal "n"}}::int + ${i})`,
);
scripts['o/many.write.sql'] = MANY.join(';\n');
scripts['o/fails.write.sql'] = [...MANY, 'SELECT 1 / 0'].join(';\n');

const settingsOf = (settings: Partial<DatabaseSettings> = {}): DatabaseSettings => {
  const usual = databaseSettings('test', server);
  return { ...usual, conninfo: patient(usual.conninfo), connectTimeout: 250_000, ...settings };
};
const runnerOf = (t: Pick<Test, 'testdir'>, settings?: Partial<DatabaseSettings>, debug = true) =>
  new TestRunner(t, {
    database: settingsOf(settings),
    scripts,
    settings: { debug, claimSettings: true },
  });

const post: Ask = { method: 'POST' };
const order = (id: number, a: unknown = 1, b: unknown = 2) =>
  `o/order?id=${id}&name=cup&a=${String(a)}&b=${String(b)}`;
const counts = (runner: TestRunner) => runner.ask('o/count');
const empty = (runner: TestRunner) => runner.ask('o/remove', { method: 'DELETE' });

for (const prepared of [true, false])
  t.test(prepared ? 'prepared' : 'not prepared', async (t) => {
    const runner = runnerOf(t, { prepared, connections: 1 });
    await empty(runner);
    for (const id of [1, 2, 3])
      t.equal(
        await runner.ask(order(id), post),
        `200 {"rows_affected":1,"rows":[{"id":${id},"name":"CUP1"}]}`,
      );
    t.equal(await counts(runner), '200 [{"items":3,"lines":6}]');

    // Each of the three fails, new and prepared: nothing stays, and the next one is served.
    const failures: [target: string, answer: RegExp][] = [
      [order(1), /^409 .*"code":"23505".*"statement":"1","position":"o\/order:2:1"/],
      [order(4, 'x'), /^400 .*"code":"22P02".*"statement":"2"/],
      [order(4, 0), /^400 .*"code":"23514".*"statement":"2","position":"o\/order:3:1"/],
      [order(4, 1, -1), /^400 .*"code":"23514".*"statement":"2"/],
    ];
    for (const [target, answer] of failures) {
      t.match(await runner.ask(target, post), answer, target);
      t.equal(await counts(runner), '200 [{"items":3,"lines":6}]', target);
    }
    t.match(runner.logged.at(-1), {
      level: 'warn',
      state: '23514',
      statement: '2',
      position: 'o/order:3:1',
    });
    t.equal(await empty(runner), '200 {"rows_affected":3}');
    t.equal(await empty(runner), '200 {"rows_affected":0}');
  });

t.test('a position in the last statement, and what is told without debug', async (t) => {
  const runner = runnerOf(t);
  await empty(runner);
  for (let i = 0; i < 3; i++)
    t.match(
      await runner.ask('o/missing?a=1', post),
      /^500 .*"code":"42703".*"statement":"2","position":"o\/missing:3:34"/,
    );
  t.equal(await counts(runner), '200 [{"items":0,"lines":0}]');
  const plain = runnerOf(t, {}, false);
  t.equal(
    await plain.ask('o/missing?a=1', post),
    '500 {"error":"could not execute sql, check your service logs","code":"42703"}',
  );
  t.match(plain.logged, [{ statement: '2', position: 'o/missing:3:34' }]);
});

t.test('a deferred constraint fails at the commit', async (t) => {
  const runner = runnerOf(t);
  await empty(runner);
  for (let i = 0; i < 3; i++)
    t.match(await runner.ask('o/deferred', post), /^409 .*"code":"23503".*"statement":"commit"/);
  t.equal(await counts(runner), '200 [{"items":0,"lines":0}]');
});

t.test('placeholders that stand for no value', async (t) => {
  const runner = runnerOf(t);
  await empty(runner);
  t.match(await runner.ask('o/unbound?name=a', post), /^500 .*"code":"placeholder_in_literal"/);
  t.match(runner.logged, [
    { position: 'o/unbound:2', verb: 'write' },
    { position: 'o/unbound:2:33', requestId: 'r2' },
  ]);
  t.match(await runner.ask('o/extra', post), /^500 .*"code":"08P01"/);
  t.equal(await counts(runner), '200 [{"items":0,"lines":0}]');
});

t.test('what cannot be in a transaction with others', async (t) => {
  const runner = runnerOf(t);
  await empty(runner);
  t.equal(
    await runner.ask('o/vacuum?a=1', post),
    '500 {"error":"statement is not allowed beside others: VACUUM cannot run in a transaction block (statement 2, line 2)","code":"statement_not_allowed","message":"VACUUM cannot run in a transaction block (statement 2, line 2)"}',
  );
  t.equal(await counts(runner), '200 [{"items":0,"lines":0}]');
  t.equal(await runner.ask('o/vacuum', post), '200 {"rows_affected":1}');
  t.equal(
    await runner.ask('o/two'),
    '500 {"error":"statement is not allowed in a script that reads: a second one (line 2)","code":"statement_not_allowed"}',
  );
});

t.test('statements that need a transaction block', async (t) => {
  const runner = runnerOf(t, { connections: 1 });
  for (let i = 0; i < 3; i++) {
    t.equal(await runner.ask('o/lock', post), '200 {"rows_affected":1,"rows":[{"n":1}]}');
    t.equal(
      await runner.ask(`o/temporary?a=${i}`, post),
      `200 {"rows_affected":1,"rows":[{"n":${i}}]}`,
    );
  }
});

t.test('with the identity of the caller', async (t) => {
  const runner = runnerOf(t, { connections: 1 });
  const as = (sub: string): Ask => ({ ...post, role: 'caller', claims: JSON.stringify({ sub }) });
  const row = (id: number, owner: string) => ({ role: 'caller', id, owner });
  const ok = (rows: unknown[]) => `200 ${JSON.stringify({ rows_affected: rows.length, rows })}`;
  t.equal(await runner.ask('n/add?id=1', as('ann')), ok([row(1, 'ann')]));
  t.equal(await runner.ask('n/add?id=2', as('bob')), ok([row(2, 'bob')]));
  t.equal(await runner.ask('n/add?id=3', as('ann')), ok([row(1, 'ann'), row(3, 'ann')]));
  t.match(await runner.ask('n/other?id=4', as('ann')), /^403 .*"code":"42501".*"statement":"1"/);
  await server.sql('GRANT USAGE ON SEQUENCE calls TO caller');
  t.match(await runner.ask('n/other?id=4', as('ann')), /^403 .*"code":"42501".*"statement":"2"/);
  t.match(
    await runner.ask('n/add?id=5', { ...as('ann'), role: 'nobody' }),
    /^403 .*"permission_denied"/,
  );
  t.equal((await server.sql('SELECT 1 FROM note')).length, 3);
});

t.test('the rows of earlier statements are dropped, and bounded', async (t) => {
  const runner = runnerOf(t, { connections: 1 });
  for (let i = 0; i < 2; i++)
    t.equal(await runner.ask('o/big', post), '200 {"rows_affected":1,"rows":[{"n":1}]}');
  await server.sql('TRUNCATE log');
  const small = new TestRunner(t, {
    database: settingsOf(),
    scripts,
    settings: { maxResult: 1 << 20 },
  });
  t.match(await small.ask('o/huge', post), /^500 .*"code":"result_too_large"/);
  t.equal(await runner.ask('o/lock', post), '200 {"rows_affected":1,"rows":[{"n":1}]}');
});

t.test('a hundred statements, all or none', async (t) => {
  const runner = runnerOf(t, { connections: 1 });
  await server.sql('TRUNCATE log');
  for (const n of [0, 1000, 2000])
    t.equal(await runner.ask(`o/many?n=${n}`, post), '200 {"rows_affected":1}');
  t.match(
    await runner.ask('o/fails?n=5000', post),
    /^400 .*"code":"22012".*"statement":"101","position":"o\/fails:101:\d+"/,
  );
  t.equal((await server.sql('SELECT 1 FROM log WHERE n < 5000')).length, 300);
  t.equal((await server.sql('SELECT 1 FROM log')).length, 300);
});

t.test('many at a time, beside reads, on shared pipelines', async (t) => {
  const runner = runnerOf(t, { connections: 2 });
  await empty(runner);
  for (let id = 0; id < 20; id++) await runner.ask(order(id), post);
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) => {
      if (i % 3 === 0) return runner.ask(order(1000 + i), post);
      return i % 3 === 1 ? runner.ask(order(1), post) : runner.ask('o/count');
    }),
  );
  answers.forEach((answer, i) => {
    const id = 1000 + i;
    if (i % 3 === 0) t.equal(answer, `200 {"rows_affected":1,"rows":[{"id":${id},"name":"CUP1"}]}`);
    else if (i % 3 === 1) t.match(answer, /^409 .*"statement":"1"/);
    else {
      const [{ items, lines }] = JSON.parse(answer.slice(4)) as [{ items: number; lines: number }];
      t.equal(lines, 2 * items, 'no transaction is seen in part');
    }
  });
  t.equal(await counts(runner), '200 [{"items":120,"lines":240}]');
});
