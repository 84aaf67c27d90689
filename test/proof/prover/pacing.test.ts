/** The prover rests while requests come, and hardly while none do. */
import t, { type Test } from 'tap';
import { PacingByActivity } from '#app/proof/prover/pacing.js';
import { until } from '../../support/until.js';

/** Pacing by requests that the test counts. */
function rests(t: Test, { busy = 1e6, brief = 1e6, isUrgent = false } = {}) {
  const activity = new SharedArrayBuffer(4);
  const count = new Int32Array(activity);
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  const made = new PacingByActivity(
    activity,
    { idle: 0, busy, brief },
    () => isUrgent,
    closing.signal,
  );
  return { made, closing, served: () => void Atomics.add(count, 0, 1) };
}

t.test('no request: no rest', async (t) => {
  const { made } = rests(t);
  for (let i = 0; i < 1_000; i++) await made.afterStatement(1_000);
});

t.test('while requests come, a rest lasts until they end', async (t) => {
  const { made, served } = rests(t);
  let ended = false;
  served();
  const rest = made.afterStatement(0.5).then(() => (ended = true));
  for (let i = 0; i < 3; i++) {
    served();
    t.notOk(ended);
    await new Promise(setImmediate);
  }
  await rest;
});

t.test('after a rest in which no request came, the next one is short', async (t) => {
  const { made, served } = rests(t);
  served();
  await made.afterStatement(1);
  for (let i = 0; i < 1_000; i++) await made.afterStatement(1_000);
});

t.test('requests without an end do not keep the prover from its work', async (t) => {
  const { made, served } = rests(t, { busy: 1, brief: 1 });
  const timer = setInterval(served, 1);
  t.teardown(() => clearInterval(timer));
  for (let i = 0; i < 5; i++) {
    served();
    await made.afterStatement(1);
  }
});

t.test('no rest while requests wait for the proofs', async (t) => {
  const { made, served } = rests(t, { isUrgent: true });
  for (let i = 0; i < 1_000; i++) {
    served();
    await made.afterStatement(1_000);
  }
});

t.test('the end of the prover ends a rest', async (t) => {
  const { made, served, closing } = rests(t);
  const timer = setInterval(served, 1);
  t.teardown(() => clearInterval(timer));
  served();
  let ended = false;
  void made.afterStatement(1).then(() => (ended = true));
  closing.abort();
  await until(() => ended);
});

t.test('rests are brief for so much work, then long', async (t) => {
  const { made, served, closing } = rests(t, { busy: Infinity, brief: 0 });
  for (let i = 0; i < 19; i++) {
    served();
    await made.afterStatement(100);
  }
  served();
  let ended = false;
  const rest = made.afterStatement(100).then(() => (ended = true));
  const timer = setInterval(served, 1);
  t.teardown(() => clearInterval(timer));
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  t.notOk(ended);
  closing.abort();
  await rest;
});

t.test(
  'work while no request comes, or while requests wait for it, counts for nothing',
  async (t) => {
    for (const isUrgent of [false, true]) {
      const { made, served } = rests(t, { busy: Infinity, brief: 0, isUrgent });
      for (let i = 0; i < 100; i++) await made.afterStatement(1_000);
      if (!isUrgent) {
        served();
        await made.afterStatement(100);
      }
    }
  },
);
