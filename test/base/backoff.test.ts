/** Exponential waits. */
import t from 'tap';
import { Backoff } from '#app/base/backoff.js';

t.test('waits double up to the longest', (t) => {
  const backoff = new Backoff(100, 500);
  t.equal(backoff.wait, 0, 'no wait before the first failure');
  t.same(
    Array.from({ length: 5 }, () => backoff.next()),
    [100, 200, 400, 500, 500],
  );
  t.equal(backoff.wait, 500);
  t.end();
});

t.test('a reset starts again with the first wait', (t) => {
  const backoff = new Backoff(100, 500);
  backoff.next();
  backoff.next();
  backoff.reset();
  t.equal(backoff.wait, 0);
  t.equal(backoff.next(), 100);
  t.end();
});

t.test('a first wait beyond the longest is cut', (t) => {
  t.equal(new Backoff(100, 50).next(), 50);
  t.end();
});
