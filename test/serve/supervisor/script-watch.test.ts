/** Notifications of HTTP processes: soon, not too often, and only for the table in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { createLogger } from '#app/observe/log.js';
import { ScriptWatch } from '#app/serve/supervisor/script-watch.js';
import { databaseSettings } from '../../support/http-process.js';
import { connections, startPostgres } from '../../support/postgres.js';
import { until } from '../../support/until.js';

const log = createLogger({ level: 'silent', pretty: false }, {});
const postgres = await startPostgres(t);
const changes = (payload: string) => ({
  database: databaseSettings('main', postgres),
  channel: 'changes',
  payload,
});

t.test('follows, spaces out and stops', async (t) => {
  let told = 0;
  const watch = new ScriptWatch(() => told++, log);
  t.teardown(() => watch.stop());
  const more = (than: number): Promise<true> => until(() => told > than);
  /** Waits until nothing has been told for a while. */
  const quiet = async (): Promise<number> => {
    for (let before = -1; before !== told;) {
      before = told;
      await sleep(300);
    }
    return told;
  };
  const backends = (): Promise<object[]> =>
    postgres.sql(`SELECT pid FROM pg_stat_activity
                  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`); // prettier-ignore
  const connected = (count: number): Promise<true> =>
    until(async () => (await connections(postgres)) === count);

  watch.follow(undefined);
  t.equal(await connections(postgres), 0, 'no scripts are stored');

  watch.follow(changes('one'));
  await more(0);
  const before = await quiet();
  const began = performance.now();
  await postgres.sql(`DO $$ BEGIN FOR n IN 1..300 LOOP
    PERFORM pg_notify('changes', 'one'); COMMIT; PERFORM pg_sleep(0.001); END LOOP; END $$`);
  await more(before + 1);
  const settled = await quiet();
  const most = (performance.now() - began) / 45 + 1; // as often as every 50 ms
  t.ok(settled - before <= most, `${settled - before} times, not ${most}`);

  const listens = await backends();
  t.equal(listens.length, 1);
  watch.follow(changes('one'));
  await sleep(100);
  t.same(await backends(), listens, 'the same scripts: the connection stays');

  const replaced = told;
  watch.follow(changes('two'));
  await more(replaced);
  await connected(1);
  const other = await quiet();
  // They arrive in this order, whenever that is.
  for (const payload of ['one', 'two']) await postgres.sql(`SELECT pg_notify('changes', '${payload}')`); // prettier-ignore
  await more(other);
  await sleep(100);
  t.equal(told, other + 1);

  watch.follow(undefined);
  await connected(0);
  watch.follow(changes('two'));
  watch.stop();
  watch.follow(changes('one'));
  await connected(0); // stopped for good, amid connecting
});
