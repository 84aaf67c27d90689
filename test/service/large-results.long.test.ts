/** Single values beyond and near pg.max_result: tens of MiB. */
import t from 'tap';
import { MIB, startLargeResults, testRefusal } from './large-results.js';

const service = await startLargeResults(t);

testRefusal(t, service, 'GET', `big/value?n=${50 * MIB}`);

t.test('just within the limit', async (t) => {
  const { status, text } = await service.ask(`big/value?n=${30 * MIB}`);
  t.equal(status, 200);
  t.equal(text.length, 30 * MIB + '[{"v":""}]'.length);
  for (const mib of [2, 4, 10, 20, 28]) {
    const write = await service.ask(`big/rows?n=${mib * 1024}`, { method: 'POST' });
    t.equal(write.status, 200, `${mib} MiB of rows`);
  }
});
