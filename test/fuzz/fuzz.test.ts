/** A short run of each fuzz target: always the same cases. */
import t from 'tap';
import { describeFailure, fuzz } from './run.js';
import { fuzzSockets } from './sockets.js';
import type { Target } from './target.js';
import { targets } from './targets.js';

t.setTimeout(300_000);

const CASES = 500;
const SEED = 1;

for (const target of [...targets(), fuzzSockets() as Target])
  t.test(target.name, async (t) => {
    const count = CASES / (target.cost ?? 1);
    const { cases, outcomes, failure } = await fuzz(target, SEED, count);
    await target.close?.();
    t.equal(failure && describeFailure(failure), undefined);
    t.equal(cases, count);
    t.ok(outcomes.size > 2, 'it is not always the same');
  });
