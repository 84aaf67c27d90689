/** How many logins may fail, and when they are forgotten. */
import t from 'tap';
import { LoginAttempts } from '#app/serve/supervisor/login-attempts.js';

const LIMITS = { perUser: 3, perAddress: 5, window: 1_000 };

interface Counter {
  readonly attempts: LoginAttempts;
  /** now is the time, which only the test changes. */
  readonly at: (now: number) => void;
  readonly begin: (user: string | undefined, address: string) => number;
}

function counter(limits = LIMITS, capacity?: number): Counter {
  let now = 0;
  const attempts = new LoginAttempts(limits, capacity, () => now);
  return {
    attempts,
    at: (time) => (now = time),
    begin: (user, address) => attempts.begin({ user, address }),
  };
}

t.test('of a user, from any address', (t) => {
  const { begin, at } = counter();
  for (const [time, wait] of [
    [0, 0],
    [100, 0],
    [300, 0],
    [300, 700],
    [999, 1],
    [1_000, 0],
    [1_000, 100],
    [1_100, 0],
    [1_100, 200],
  ] as const) {
    at(time);
    t.equal(begin('ann', `a${time}`), wait, String(time));
  }
  t.equal(begin('bob', 'a'), 0, 'others are not affected');
  t.equal(begin(undefined, 'a'), 0, 'nor requests without a name');
  t.end();
});

t.test('of an address, for any user', (t) => {
  const { begin, at } = counter();
  for (let i = 0; i < 5; i++) t.equal(begin(i === 2 ? undefined : `u${i}`, 'a'), 0);
  at(400);
  t.equal(begin('u9', 'a'), 600);
  t.equal(begin(undefined, 'a'), 600);
  t.equal(begin('u9', 'b'), 0);
  t.equal(begin('a', 'c'), 0, 'a user is no address');
  t.end();
});

t.test('rejected attempts do not count', (t) => {
  const { begin, at, attempts } = counter();
  for (let i = 0; i < 3; i++) begin('ann', `a${i}`);
  for (let i = 0; i < 20; i++) t.ok(begin('ann', 'b') > 0);
  t.equal(begin('bob', 'b'), 0, 'neither for the address');
  t.equal(attempts.size, 8);
  at(1_000);
  t.equal(begin('ann', 'b'), 0);
  t.end();
});

t.test('the end of an attempt', (t) => {
  const { begin, attempts } = counter({ perUser: 3, perAddress: 3, window: 1_000 });
  begin('ann', 'a');
  begin('ann', 'a');
  begin('ann', 'a');
  t.ok(begin('ann', 'b') > 0);
  attempts.end({ user: 'ann', address: 'a' }, 'unchecked');
  t.equal(begin('ann', 'a'), 0, 'one less of both');
  t.ok(begin('bob', 'a') > 0);
  attempts.end({ user: 'ann', address: 'a' }, 'succeeded');
  t.equal(begin('bob', 'a'), 0, 'one less of the address');
  t.ok(begin('bob', 'a') > 0, 'but not all');
  for (let i = 0; i < 3; i++) t.equal(begin('ann', 'c'), 0, 'all of the user');
  attempts.end({ user: 'nobody', address: 'nowhere' }, 'succeeded');
  attempts.end({ user: undefined, address: 'nowhere' }, 'unchecked');
  t.end();
});

t.test('other limits', (t) => {
  const { begin, attempts } = counter();
  for (let i = 0; i < 3; i++) begin('ann', `a${i}`);
  attempts.limits = { ...LIMITS, perUser: 4 };
  t.equal(begin('ann', 'b'), 0);
  t.ok(begin('ann', 'b') > 0);
  attempts.limits = { ...LIMITS, perUser: 1 };
  t.ok(begin('ann', 'c') > 0);
  t.end();
});

t.test('memory', (t) => {
  const { begin, at, attempts } = counter(LIMITS, 100);
  for (let i = 0; i < 1_000; i++) {
    begin(`user ${i}`, `address ${i}`);
    t.ok(attempts.size <= 100);
  }
  t.equal(begin('user 999', 'x'), 0);
  t.equal(begin('user 999', 'y'), 0);
  t.ok(begin('user 999', 'z') > 0, 'the latest are remembered');
  at(1_000);
  begin('ann', 'a');
  t.equal(attempts.size, 2, 'failures outside the window are dropped');

  const large = counter({ perUser: 200, perAddress: 200, window: 1_000 }, 100);
  for (let i = 0; i < 200; i++) large.begin('ann', 'a');
  t.ok(large.begin('ann', 'a') > 0, 'a limit beyond it is kept');
  t.end();
});
