/** A longer run of each fuzz target, with other cases than the short one. */
import t from 'tap';
import { describeFailure, fuzz } from './run.js';
import { fuzzSockets } from './sockets.js';
import type { Target } from './target.js';
import { targets } from './targets.js';

t.setTimeout(300_000);

const CASES = 30_000;
const SEED = 2;

for (const target of [...targets(), fuzzSockets() as Target])
  t.test(target.name, async (t) => {
    const { failure } = await fuzz(target, SEED, CASES / (target.cost ?? 1));
    await target.close?.();
    t.equal(failure && describeFailure(failure), undefined);
  });
