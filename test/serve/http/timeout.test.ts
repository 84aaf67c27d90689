/** A request has one time limit for everything; results after its 504 are dropped. */
import t from 'tap';
import { requestBytes, sendRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { serveDatabase } from './served-database.js';

/** The time limit (milliseconds): long enough for the requests that are served. */
const TIMEOUT = 2_000;

const { postgres, port, url } = await serveDatabase(
  t,
  {
    'sleep.read.sql': `SELECT pg_sleep({{sqlVal "s"}}::float8), 'slept' AS x`,
    'one.read.sql': 'SELECT 1 AS one',
  },
  { timeout: TIMEOUT },
);

t.jobs = 3;

const sleeping = async (): Promise<number> =>
  (await postgres.sql(`SELECT FROM pg_stat_activity WHERE query LIKE '%slept%' AND state = 'active'
                       AND pid <> pg_backend_pid()`)).length; // prettier-ignore

t.test('a slow statement', { buffered: true }, async (t) => {
  const began = performance.now();
  const response = await fetch(url('sleep', 's=3600'));
  const took = performance.now() - began;
  t.equal(response.status, 504);
  t.match(await response.json(), { code: 'timeout' });
  t.ok(took > TIMEOUT - 100, `answered after ${Math.round(took)} ms`);
  await until(async () => (await sleeping()) === 0); // it is cancelled in the database
  t.same(await (await fetch(url('one'))).json(), [{ one: 1 }], 'the next one is served');
});

t.test(
  'a late response does not reach the next request of the connection',
  { buffered: true },
  async (t) => {
    // Again when a busy machine was late to answer with 504: the statement had ended.
    await until(async () => {
      const { status } = await sendRaw(port, requestBytes('GET', '/_QUERIES/t/sleep?s=2.4'));
      return status === 504;
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => (await fetch(url('one'))).json()),
    );
    t.ok(answers.every((answer) => JSON.stringify(answer) === '[{"one":1}]'));
  },
);

t.test('a body that does not come', { buffered: true }, async (t) => {
  const bytes = requestBytes('POST', '/nope', ['Content-Length: 10'], 'abc');
  const answer = await sendRaw(port, bytes, { untilClosed: true });
  t.equal(answer.status, 504);
  t.equal(answer.closed, true, 'the connection ends: later data is not read as a request');
});
