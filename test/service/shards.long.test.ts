/** One table on three servers, as packaging/shards has it: scripts read and write it as any other, also while one is down. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { startOwnPostgres, type OwnPostgres } from '../support/postgres.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const FOLDER = new URL('../../../packaging/shards/', import.meta.url);
const text = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

const scripts = {
  'orders/add.write.sql':
    'INSERT INTO orders (customer_id, total) VALUES ({{sqlVal "customer"}}, {{sqlVal "total"}}) RETURNING id',
  'orders/of.read.sql':
    'SELECT id, total FROM orders WHERE customer_id = {{sqlVal "customer"}} ORDER BY id',
  'orders/totals.read.sql': 'SELECT count(*) AS n, sum(total) AS total FROM orders',
  'orders/plan.read.sql':
    "-- @scalar\nSELECT string_agg(line, E'\\n') FROM plan_of('SELECT total FROM orders') AS line",
};

/** coordinatorSql is coordinator.sql with the addresses of these servers. */
function coordinatorSql(shards: readonly OwnPostgres[]): string {
  return shards.reduce(
    (sql, { host, port, database, user, password }, i) =>
      sql
        .replace(
          `host 'shard-${i}.internal', port '5432', dbname 'shop'`,
          `host '${host}', port '${port}', dbname '${database}'`,
        )
        .replace(
          `SERVER shard_${i} OPTIONS (user 'api', password 'secret')`,
          `SERVER shard_${i} OPTIONS (user '${user}', password '${password}')`,
        ),
    text('coordinator.sql'),
  );
}

t.test('three shards', async (t) => {
  const shards = await Promise.all(
    [0, 1, 2].map(() => startOwnPostgres(t, { setup: text('shard.sql') })),
  );
  const coordinator = await startOwnPostgres(t, { setup: coordinatorSql(shards) });
  await coordinator.sql(`CREATE FUNCTION plan_of(statement text) RETURNS SETOF text LANGUAGE plpgsql
    AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || statement; END $$`);
  const service = await new Service(t, { database: coordinator.url, scripts }).listening();
  const add = (customer: number) =>
    service.ask(`orders/add?customer=${customer}&total=1.5`, { method: 'POST' });
  const rows = async (shard: OwnPostgres): Promise<number> =>
    Number((await shard.sql<{ n: string }>('SELECT count(*) AS n FROM orders'))[0]!.n);

  await t.test('rows are written to the shard of their customer, and read through', async (t) => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => add(i % 20)));
    t.ok(answers.every(({ status }) => status === 200));
    const counts = await Promise.all(shards.map(rows));
    t.ok(
      counts.every((n) => n > 0),
      `rows: ${counts.join(', ')}`,
    );
    t.strictSame((await service.ask('orders/totals')).json, [{ n: 60, total: 90 }]);
    const { json } = await service.ask('orders/of?customer=7');
    t.equal((json as unknown[]).length, 3);
    t.match((await service.ask('orders/plan')).text, /Append.*Async Foreign Scan/s);
  });

  await t.test(
    'a constraint of a shard is an error of the caller, as one of a table',
    async (t) => {
      const answer = await service.ask('orders/add?customer=1&total=-1', { method: 'POST' });
      t.match(answer, { status: 400, json: { code: '23514' } });
    },
  );

  await t.test('with one shard down, what concerns the others is served', async (t) => {
    const of = await Promise.all(
      Array.from({ length: 20 }, async (_, customer) => ({
        customer,
        shard: await shardOf(shards, customer),
      })),
    );
    const [down] = shards;
    await down!.kill();
    for (const { customer, shard } of of) {
      const read = await service.ask(`orders/of?customer=${customer}`);
      const write = await add(customer);
      if (shard === 0) {
        t.match(read, { status: 503, json: { code: /^08/ } }, `customer ${customer}`);
        t.match(write, { status: 503, json: { code: /^08/ } });
      } else {
        t.equal(read.status, 200, `customer ${customer}`);
        t.equal(write.status, 200);
      }
    }
    t.equal((await service.ask('orders/totals')).status, 503);
    t.equal((await service.ask('/_health')).status, 200, 'the database itself answers');
    await down!.restart();
    await until(async () => (await service.ask('orders/totals')).status === 200);
    t.equal((await add(of.find(({ shard }) => shard === 0)!.customer)).status, 200);
  });
});

/** shardOf is the number of the shard that has the rows of a customer. */
async function shardOf(shards: readonly OwnPostgres[], customer: number): Promise<number> {
  for (const [i, shard] of shards.entries()) {
    const found = await shard.sql('SELECT 1 FROM orders WHERE customer_id = $1', [customer]);
    if (found.length > 0) return i;
  }
  return -1;
}
