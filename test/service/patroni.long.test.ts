/**
 * A service over three servers under Patroni, as packaging/patroni has them: through a failover, a switchover and a primary
 * without a network, no acknowledged write is lost and no read is older than the position that it brings.
 */
import pg from 'pg';
import t from 'tap';
import { FailoverLoad, LOAD_SCRIPTS, LOAD_TABLE, percentiles } from '../support/failover-load.js';
import { Patroni, patroniPrograms } from '../support/patroni.js';
import type { Postgres } from '../support/postgres.js';
import { notInstalled } from '../support/programs.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const programs = patroniPrograms();
const skip = programs === undefined && notInstalled('Patroni, etcd or PostgreSQL of the system');

t.test('three servers under Patroni', { skip }, async (t) => {
  const cluster = await Patroni.start(t, programs!);
  const url = (port: number): string => `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const sql = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url((await cluster.primary())!.port) });
    await client.connect();
    const { rows } = await client.query<Row>(text);
    await client.end();
    return rows;
  };
  await sql(LOAD_TABLE);
  const [first, ...others] = cluster.nodes.map(({ port }) => url(port));
  const service = await new Service(t, {
    database: first!,
    scripts: LOAD_SCRIPTS,
    config: {
      'pg.replicas': others,
      'pg.failover_wait': '60s',
      'pg.maxopenconn': 4,
      'http.processes': 1,
      'http.timeout': '120s',
      'queries.proof': 'off',
    },
  }).listening();

  const more = async (load: FailoverLoad, writes: number): Promise<void> => {
    const wanted = load.acknowledged.length + writes;
    await until(() => load.acknowledged.length >= wanted);
  };
  const events: readonly (readonly [
    name: string,
    happen: (load: FailoverLoad) => Promise<void>,
  ])[] = [
    [
      'the primary and its Patroni are killed',
      async () => {
        const old = (await cluster.primary())!;
        await cluster.killNode(old);
        await cluster.newPrimary(old);
        cluster.startNode(old);
      },
    ],
    ['an operator switches over', () => cluster.switchover()],
    [
      'the network of the primary is cut',
      async (load) => {
        const old = (await cluster.primary())!;
        cluster.cutOff(old);
        await cluster.newPrimary(old);
        await more(load, 50);
        cluster.mend(old);
      },
    ],
  ];
  for (const [name, happen] of events)
    await t.test(name, async (t) => {
      await sql('TRUNCATE load');
      const load = new FailoverLoad(service, 4);
      await more(load, 100);
      await happen(load);
      await more(load, 100);
      await load.stop();
      await cluster.complete();
      const server = { sql } as unknown as Postgres;
      t.strictSame(await load.lost(server), [], `${load.acknowledged.length} acknowledged writes`);
      t.strictSame(await load.doubled(server), []);
      t.strictSame(load.stale, []);
      t.comment(`writes: ${percentiles(load.writeTimes)}`);
      t.comment(`reads: ${percentiles(load.readTimes)}`);
      t.comment(`refused: ${[...new Set(load.refused.values())].join('; ')}`);
      t.comment(`failed reads: ${[...new Set(load.failedReads)].join('; ')}`);
    });
});
