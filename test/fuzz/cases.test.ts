/** The input of a case follows from the seed and its number; a failure says how to run it again. */
import t from 'tap';
import type { Random } from '../../bench/random.js';
import { Mutator } from './mutator.js';
import { describeFailure, fuzz, inputOf } from './run.js';
import { expect, type Target } from './target.js';

const mutator = new Mutator(['{"a": 1}', 'text'], ['{', '\0', 'token']);

const target: Target<string> = {
  name: 'texts',
  input: (random: Random) => mutator.next(random),
  run: (text) => {
    expect(!text.includes('token'), 'no token');
    return text.startsWith('{') ? 'object' : 'text';
  },
};

t.test('a case alone is that of the run', async (t) => {
  const { failure, cases } = await fuzz(target, 7, 1_000);
  if (failure === undefined) return t.fail('no case has a token');
  t.equal(failure.number, cases);
  t.equal(failure.input, inputOf(target, 7, cases));
  const alone = await fuzz(target, 7, 1, cases);
  t.equal(alone.failure?.input, failure.input);
  t.match(describeFailure(failure), `--only 'texts' --seed 7 --case ${cases}`);
  t.match(describeFailure(failure), /no token/);
});

t.test('seeds and numbers give different inputs', (t) => {
  const inputs = (seed: number) => Array.from({ length: 200 }, (_, i) => inputOf(target, seed, i));
  t.ok(new Set(inputs(1)).size > 120);
  t.notSame(inputs(1), inputs(2));
  t.same(inputs(1), inputs(1));
  t.end();
}); // prettier-ignore
