/** Which database's proof counts for a text that is for several. */
import t from 'tap';
import { proveInTurn } from '#app/proof/text-proof.js';
import { NOTHING_SHOWN, type ProofRecord } from '#app/messages/proofs.js';

type Verdict = ProofRecord['verdict'];

/** What each database shows, in turn: nothing when it does not answer; `empty` without a statement. */
const CASES: readonly (readonly [
  shown: readonly (Verdict | 'empty' | undefined)[],
  chosen: number | undefined,
  asked: number,
])[] = [
  [[undefined, 'proved'], undefined, 1],
  [['proved', 'broken'], 0, 1],
  [['empty', 'proved'], 0, 1],
  [['unproved', 'proved'], 0, 1],
  [['broken'], 0, 1],
  [['broken', 'broken'], 0, 2],
  [['broken', 'proved', 'proved'], 1, 2],
  [['broken', 'empty', 'open'], 2, 3],
  [['broken', 'empty'], 0, 2],
  [['broken', undefined, 'covered'], 2, 3],
  [['broken', undefined], 0, 2],
];

for (const [shown, chosen, asked] of CASES)
  t.test(shown.map((one) => one ?? 'no answer').join(', '), async (t) => {
    const attempts = shown.map((one) => {
      if (one === undefined) return undefined;
      const [verdict, statements] = one === 'empty' ? (['proved', 0] as const) : [one, 1];
      return { record: { ...NOTHING_SHOWN, verdict, statements } };
    });
    let count = 0;
    const found = await proveInTurn(
      shown.map((_, i) => String(i)),
      (alias) => {
        count++;
        return Promise.resolve(attempts[Number(alias)]);
      },
    );
    t.equal(found?.chosen, chosen === undefined ? undefined : attempts[chosen]);
    t.equal(found?.first, chosen === undefined ? undefined : attempts[0]);
    t.equal(count, asked);
  });
