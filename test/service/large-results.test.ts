/** A result beyond pg.max_result is refused, and neither memory nor neighbours pay for it. */
import t from 'tap';
import { startLargeResults, testRefusal } from './large-results.js';

const service = await startLargeResults(t);

for (const method of ['GET', 'POST']) testRefusal(t, service, method, `big/rows?n=${50 * 1024}`);
