/**
 * A replica that comes back with less than it had replayed, as after a crash: no read that brings a position is older than
 * that, whatever was known of the replica before. A replica that is left behind stands for the one that came back.
 */
import t from 'tap';
import { Gate, GATES } from '../support/gate.js';
import { startOwnPostgres } from '../support/postgres.js';
import { Relay } from '../support/relay.js';
import { startService } from '../support/service.js';
import { replayed, startStandby } from '../support/standby.js';
import { until } from '../support/until.js';

const primary = await startOwnPostgres(t, { setup: `CREATE TABLE item (n int); ${GATES}` });
const before = await startStandby(t, primary, { name: 'before' });
const after = await startStandby(t, primary, { name: 'after' });
const gate = new Gate(primary, 'slow');
const relay = await Relay.start(t, before);

const service = await startService(t, {
  database: primary.url,
  scripts: {
    'a/add.write.sql': 'INSERT INTO item VALUES ({{sqlVal "n"}}::int)',
    'a/find.read.sql': 'SELECT count(*)::int AS found FROM item WHERE n = {{sqlVal "n"}}::int',
    'a/where.read.sql': 'SELECT inet_server_port() AS port /* where */',
    'a/slow.read.sql': gate.sql,
  },
  config: {
    'pg.replicas': [`postgres://127.0.0.1:${relay.port}`],
    'pg.max_lag': '3600s',
    'pg.lsn_wait': '200ms',
    'pg.maxopenconn': 6,
    'http.processes': 1,
    'http.timeout': 60,
    'pool.threads': 1,
    'queries.proof': 'off',
  },
});

const QUESTION = 'pg_is_in_recovery';
let rows = 0;

/** onlyBefore writes a row that one standby has and the other one has not, and which is known to be there. */
async function onlyBefore(): Promise<{ readonly n: number; readonly position: string }> {
  await after.sql('SELECT pg_wal_replay_pause()');
  const n = ++rows;
  const { headers } = await service.ask(`a/add?n=${n}`, { method: 'POST' });
  const position = headers.get('service-lsn')!;
  await replayed(before, primary);
  const asked = { headers: { 'Service-LSN': position } };
  await until(async () => {
    const { json } = await service.ask('a/where', asked);
    return (json as [{ port: number }])[0].port === before.port;
  });
  return { n, position };
}

/** find reads a row with its position, in the header and in the cookie. */
function find({
  n,
  position,
}: {
  readonly n: number;
  readonly position: string;
}): Promise<unknown[]> {
  return Promise.all(
    [{ 'Service-LSN': position }, { Cookie: `Service-LSN=${position}` }].map((headers) =>
      service.rows(`a/find?n=${n}`, { headers }),
    ),
  );
}

t.afterEach(async () => {
  relay.target = before;
  relay.cut();
  await after.sql('SELECT pg_wal_replay_resume()');
  await replayed(after, primary);
});

t.test('while it is asked again, what it said before does not count', async (t) => {
  const row = await onlyBefore();
  await relay.answered(QUESTION);
  const held = relay.holds(QUESTION);
  relay.target = after;
  relay.cut();
  const release = await held;
  const found = find(row);
  // Sent after the reads: once it is on its way, they have been, or are not sent before the answer.
  const sent = relay.sent('where');
  const other = service.ask('a/where');
  await sent;
  release();
  t.strictSame(await found, [[{ found: 1 }], [{ found: 1 }]]);
  t.equal((await other).status, 200);
});

t.test('an answer from before the connection was lost does not count either', async (t) => {
  const row = await onlyBefore();
  await relay.sent(QUESTION);
  relay.target = after;
  relay.cut();
  t.strictSame(await find(row), [[{ found: 1 }], [{ found: 1 }]]);
});

t.test('no connection was lost: the next one leads to a server that has less', async (t) => {
  const row = await onlyBefore();
  const slow = service.ask('a/slow');
  await relay.sent('wait_at');
  relay.target = after;
  // On connections of their own, while the script is not known to be fast.
  t.strictSame(await find(row), [[{ found: 1 }], [{ found: 1 }]]);
  await gate.open();
  t.equal((await slow).status, 200);
});
