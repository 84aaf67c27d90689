/** Stored scripts that change: seen by polling alone, at once after a notification, and what is unchanged is reused. */
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';
import { CREATE, insert, TestScripts } from '../registry/tables.js';

const postgres = await startPostgres(t, {
  setup: [`${CREATE};`, insert('a/kept', 'kept'), insert('a/v', '1')].join('\n'),
});

/** From one poll to the next, ms. */
const INTERVAL = 400;

t.test('by plain SQL, without a trigger', async (t) => {
  const scripts = new TestScripts(t, postgres);
  t.equal(await scripts.ask('a/v'), '1');
  const steps: [sql: string, script: string, expected: string][] = [
    [`UPDATE service_queries SET read_sql = '2' WHERE name = 'v'`, 'a/v', '2'],
    [insert('main:a/v', 'own'), 'a/v', 'own'],
    [`UPDATE service_queries SET database_alias = 'gone' WHERE read_sql = 'own'`, 'a/v', '2'],
    [`UPDATE service_queries SET name = 'w' WHERE read_sql = '2'`, 'a/w', '2'],
    [`DELETE FROM service_queries WHERE name = 'w'`, 'a/w', 'script_not_found'],
    [`UPDATE service_queries SET location = 'a.b' WHERE name = 'kept'`, 'a/kept', NOT_FOUND],
    [`UPDATE service_queries SET location = 'a' WHERE name = 'kept'`, 'a/kept', 'kept'],
    [`BEGIN; TRUNCATE service_queries; ${insert('a/kept', 'anew')} COMMIT`, 'a/kept', 'anew'],
    [`TRUNCATE service_queries`, 'a/kept', 'script_not_found'],
    [`${insert('a/v', '1')} ${insert('a/kept', 'kept')}`, 'a/v', '1'],
    [`DELETE FROM service_queries WHERE name = 'v'; ${insert('a/v', '2')}`, 'a/v', '2'],
  ];
  for (const [i, [sql, script, expected]] of steps.entries()) {
    await postgres.sql(sql);
    // By polling; of all but the first ones without the wait.
    if (i > 1) await scripts.scripts.refresh();
    await scripts.live(script, expected);
    t.pass(sql);
  }
  t.same(scripts.logged, []);
});

t.test('at once after a notification, also one during a poll', async (t) => {
  // Polls only after notifications: the timer never fires.
  const { setTimeout } = globalThis;
  const captured = (run: () => void, time?: number): NodeJS.Timeout =>
    setTimeout(time === INTERVAL ? () => undefined : run, time);
  t.intercept(globalThis, 'setTimeout', { value: captured });
  const scripts = new TestScripts(t, postgres);
  await scripts.ask('a/v');
  for (let i = 0; i < 10; i++) {
    const polling = i % 2 ? scripts.scripts.refresh() : undefined;
    await postgres.sql(`UPDATE service_queries SET read_sql = 'told ${i}' WHERE name = 'v'`);
    const seen = Array.from({ length: 100 }, () => scripts.scripts.refresh());
    await Promise.all(seen);
    t.equal(await scripts.ask('a/v'), `told ${i}`);
    await polling;
  }
});

t.test('an unchanged text keeps its template', async (t) => {
  const scripts = new TestScripts(t, postgres);
  const template = async (): Promise<unknown> =>
    (await scripts.scripts.find('main', 'a', 'kept')).select('GET').template;
  const before = await template();
  await postgres.sql(`UPDATE service_queries SET read_sql = 'other' WHERE name = 'v'`);
  await scripts.scripts.refresh();
  await scripts.live('a/v', 'other');
  t.equal(await template(), before, 'another record changed');
  await postgres.sql(`UPDATE service_queries SET write_sql = 'w' WHERE name = 'kept'`);
  await wait(scripts, 'a/kept', 'POST', 'w');
  t.equal(await template(), before, 'another text of the record changed');
  await postgres.sql(
    `DELETE FROM service_queries WHERE name = 'kept'; ${insert('a/kept', 'kept')}`,
  );
  await wait(scripts, 'a/kept', 'POST', METHOD);
  t.equal(await template(), before, 'the record was made anew');
  await postgres.sql(`UPDATE service_queries SET read_sql = 'changed' WHERE name = 'kept'`);
  await scripts.scripts.refresh();
  await scripts.live('a/kept', 'changed');
  t.not(await template(), before, 'the text changed');
});

t.test('thousands of scripts', async (t) => {
  await postgres.sql(`INSERT INTO service_queries (location, name, read_sql)
    SELECT 'many', 'n' || n, 'text ' || n || repeat(' ', n % 3000) FROM generate_series(1, 9000) n`);
  const scripts = new TestScripts(t, postgres);
  for (const n of [1, 4000, 4001, 9000])
    t.equal((await scripts.ask(`many/n${n}`)).trim(), `text ${n}`);
  await postgres.sql(`UPDATE service_queries SET read_sql = 'new' WHERE name IN ('n1', 'n9000')`);
  await scripts.scripts.refresh();
  await scripts.live('many/n9000', 'new');
  t.equal(await scripts.ask('many/n1'), 'new', 'together');
  t.equal((await scripts.ask('many/n4000')).trim(), 'text 4000');
  await postgres.sql(`UPDATE service_queries SET read_sql = name WHERE location = 'many'`);
  await scripts.scripts.refresh();
  await scripts.live('many/n9000', 'n9000'); // all of them
  t.equal(await scripts.ask('many/n1'), 'n1');
});

const NOT_FOUND = 'script_not_found';
const METHOD = 'method_not_allowed GET, HEAD, OPTIONS';

/** Waits until a script is answered like that. */
async function wait(
  scripts: TestScripts,
  script: string,
  method: string,
  wanted: string,
): Promise<void> {
  await scripts.scripts.refresh();
  await until(async () => (await scripts.ask(script, method)) === wanted);
}

t.test('operators of other users for such types are not used', async (t) => {
  await postgres.sql(`CREATE FUNCTION trap(a int, b text) RETURNS text LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'trapped'; END $$;
    CREATE FUNCTION trap(a text, b xid) RETURNS text LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'trapped'; END $$;
    CREATE OPERATOR || (LEFTARG = int, RIGHTARG = text, FUNCTION = trap);
    CREATE OPERATOR || (LEFTARG = text, RIGHTARG = xid, FUNCTION = trap);
    ${insert('a/safe', 'safe')}`);
  const scripts = new TestScripts(t, postgres);
  t.equal(await scripts.ask('a/safe'), 'safe');
  t.same(scripts.logged, []);
});
