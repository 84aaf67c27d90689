/** When the catalog is refreshed: beside the requests, only while it is used, and at a bounded cost. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { CATALOG_READS } from '#app/observe/metrics/catalogue.js';
import { counts } from '#app/observe/metrics/thread.js';
import { until } from '../../support/until.js';
import { startOwnPostgres } from '../../support/postgres.js';
import { Clock } from '../clock.js';
import { callOf, TestedCatalog } from '../tested-catalog.js';

const postgres = await startOwnPostgres(t, {
  setup:
    'CREATE TABLE item (id int); CREATE TABLE ranked (id serial, at timestamptz DEFAULT now())',
});
const clock = new Clock(t);

t.test('callers do not wait, and a change is seen about a second later', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  clock.stop();
  const all = await tested.tables();
  await postgres.sql('CREATE TABLE later (id int)');
  clock.skip(999); // a time is rounded
  t.equal(tested.catalog.visible('main', callOf()), all, 'not for a second');
  await sleep(100);
  t.equal(tested.catalog.visible('main', callOf()), all, 'and no refresh has begun');
  clock.skip(2);
  t.equal(tested.catalog.visible('main', callOf()), all, 'which begins now');
  await until(() => tested.catalog.visible('main', callOf()) !== all);
  t.ok((await tested.tables()).find('public', 'later'));
  clock.start();
  await postgres.sql('DROP TABLE later');
});

t.test('cached tables are given at once, as the same object', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const all = await tested.tables();
  t.equal(tested.catalog.visible('main', callOf()), all);
});

t.test('callers share the first load', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const all = await Promise.all(Array.from({ length: 50 }, () => tested.tables()));
  t.equal(new Set(all).size, 1);
});

t.test('callers that miss a table share refreshes, five in a second at most', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  const began = performance.now();
  for (let round = 0; round < 4; round++)
    await Promise.all(Array.from({ length: 100 }, () => tested.renewed()));
  const took = performance.now() - began; // which a busy machine only makes longer
  t.ok(took >= 600, `four refreshes in ${took} ms`);
});

t.test('a demanded refresh sees what was created before the demand', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  for (let i = 0; i < 5; i++) {
    const busy = tested.renewed(); // another refresh, which may end before the change
    await sleep(i * 40);
    await postgres.sql(`CREATE TABLE made${i} (id int)`);
    t.ok((await tested.renewed()).find('public', `made${i}`), `made${i}`);
    await busy;
    await postgres.sql(`DROP TABLE made${i}`);
  }
});

t.test('after a while the first caller waits a moment for a refresh', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  // On a busy machine the moment may be over before the refresh.
  let night = 0;
  await until(async () => {
    const name = `overnight${night++}`;
    await postgres.sql(`CREATE TABLE ${name} (id int)`);
    clock.skip(10_000);
    const seen = (await tested.tables()).find('public', name) !== undefined;
    await postgres.sql(`DROP TABLE ${name}`);
    return seen;
  });
  t.pass();
});

t.test('a refresh that takes long delays the callers who begin it, for a moment', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const all = await tested.tables();
  const rows = await postgres.sql<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
  clock.skip(2_500);
  const first = tested.catalog.visible('main', callOf());
  t.not(first, all, 'the first one waits');
  t.equal(await first, all);
  await sleep(50);
  for (let i = 0; i < 4; i++) {
    t.equal(tested.catalog.visible('main', callOf()), all, 'the others do not');
  }
  for (const { pid } of rows) process.kill(pid, 'SIGCONT');
});

t.test('a locked table delays no caller, and is read whole afterwards', async (t) => {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE ranked IN ACCESS EXCLUSIVE MODE');
  const tested = new TestedCatalog(t, postgres);
  const locked = await tested.find('public', 'ranked');
  t.strictSame(
    locked.columns.map(({ name, defaultValue }) => [name, defaultValue]),
    [
      ['id', undefined],
      ['at', undefined],
    ],
  );
  await client.query('ROLLBACK');
  await client.end();
  const after = (await tested.renewed()).find('public', 'ranked')!;
  t.equal(after.columns[1]!.defaultValue, 'now()');
});

t.test('while the database is unreachable, the tables read last are given', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const fresh = new TestedCatalog(t, postgres);
  const all = await tested.tables();
  const { succeeded, failed } = CATALOG_READS;
  const [reads, failures] = [counts[succeeded]!, counts[failed]!];
  t.ok(reads > 0);
  await postgres.kill();
  await until(() => tested.databases.get('main')!.open === 0);
  clock.skip(1_100);
  for (let i = 0; i < 5; i++) {
    t.equal(await tested.tables(), all);
    await sleep(20);
  }
  t.equal(await tested.renewed(), all);
  await t.rejects(fresh.tables(), { name: 'ServiceError', code: 'busy', status: 503 });
  await t.rejects(fresh.renewed(), { code: 'busy' });
  t.equal(tested.logged.length, 1, 'logged once');
  t.match(tested.logged[0], /cannot be read for MCP clients, what was read last is served: /);
  t.ok(counts[failed]! > failures, 'and counted');
  await postgres.restart();
  await postgres.sql('CREATE TABLE after (id int)');
  await until(async () => (await tested.renewed()).find('public', 'after') !== undefined);
  const loaded = await fresh.tables().catch(() => fresh.renewed());
  t.ok(loaded.find('public', 'after'));
  t.ok(counts[succeeded]! > reads);
});
