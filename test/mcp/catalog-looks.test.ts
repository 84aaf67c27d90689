/** When the database is looked at: beside the requests, while somebody asks, and never more often than it is worth. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { callOf, namesIn, TestedCatalog } from './tested-catalog.js';

const postgres = await startPostgres(t, {
  setup:
    'CREATE TABLE item (id int); CREATE TABLE ranked (id serial, at timestamptz DEFAULT now())',
});

t.test('nobody who asks waits, and the change is seen about a second later', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  await postgres.sql('CREATE TABLE later (id int)');
  t.equal((await tested.tables()).find('public', 'later'), undefined);
  let waited = 0;
  while ((await tested.tables()).find('public', 'later') === undefined && waited < 5_000) {
    await sleep(50);
    waited += 50;
  }
  t.ok(waited >= 500 && waited < 3_000, `${waited} ms`);
  await postgres.sql('DROP TABLE later');
});

t.test('what is held is given at once, as the same object', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const all = await tested.tables();
  t.equal(tested.catalog.visible('main', callOf()), all);
});

t.test('those who come while it is read first share one reading', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const all = await Promise.all(Array.from({ length: 50 }, () => tested.tables()));
  t.equal(new Set(all).size, 1);
});

t.test('those who have missed something share looks, five in a second at most', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  const began = performance.now();
  let rounds = 0;
  while (performance.now() - began < 1_000) {
    await Promise.all(Array.from({ length: 100 }, () => tested.renewed()));
    rounds++;
  }
  t.ok(rounds >= 2 && rounds <= 6, `${rounds} looks`);
});

t.test('a look that is asked for sees what was there before it was asked for', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  for (let i = 0; i < 5; i++) {
    const busy = tested.renewed(); // another look, which may be over before the change
    await sleep(i * 40);
    await postgres.sql(`CREATE TABLE made${i} (id int)`);
    t.ok((await tested.renewed()).find('public', `made${i}`), `made${i}`);
    await busy;
    await postgres.sql(`DROP TABLE made${i}`);
  }
});

t.test('after a while the first one waits a moment for a look', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  await tested.tables();
  await postgres.sql('CREATE TABLE overnight (id int)');
  await sleep(2_200);
  t.ok((await tested.tables()).find('public', 'overnight'));
  await postgres.sql('DROP TABLE overnight');
});

t.test('a look that takes long holds up those who begin it, for a moment', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const all = await tested.tables();
  const rows = await postgres.sql<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
  await sleep(6_500);
  const waits: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    t.equal(await tested.tables(), all);
    waits.push(performance.now() - began);
    await sleep(100);
  }
  for (const { pid } of rows) process.kill(pid, 'SIGCONT');
  const [first, ...others] = waits;
  t.ok(first! > 200 && first! < 1_000, `${first} ms`);
  t.ok(Math.max(...others) < 100, `${Math.max(...others)} ms`);
});

t.test(
  'a table that somebody has locked holds nobody up, and is read whole afterwards',
  async (t) => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE ranked IN ACCESS EXCLUSIVE MODE');
    const tested = new TestedCatalog(t, postgres);
    const began = performance.now();
    const locked = await tested.find('public', 'ranked');
    t.ok(performance.now() - began < 2_000);
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
  },
);

t.test('while the database is away what was read last is given', async (t) => {
  const tested = new TestedCatalog(t, postgres);
  const fresh = new TestedCatalog(t, postgres);
  const all = await tested.tables();
  await postgres.kill();
  await sleep(1_100);
  for (let i = 0; i < 5; i++) {
    t.equal(await tested.tables(), all);
    await sleep(20);
  }
  t.equal(await tested.renewed(), all);
  await t.rejects(fresh.tables(), { name: 'ServiceError', code: 'busy', status: 503 });
  await t.rejects(fresh.renewed(), { code: 'busy' });
  t.equal(tested.logged.length, 1, 'said once');
  t.match(tested.logged[0], /cannot be read for MCP clients, what was read last is served: /);
  await postgres.restart();
  await postgres.sql('CREATE TABLE after (id int)');
  let seen = await tested.renewed();
  for (let i = 0; i < 20 && seen.find('public', 'after') === undefined; i++)
    seen = await tested.renewed();
  t.match(namesIn(seen).join(' '), /public\.after/);
  const loaded = await fresh.tables().catch(() => fresh.renewed());
  t.ok(loaded.find('public', 'after'));
});
