/** What the exploration of random templates lists is what the engine renders for random requests, and all of it. */
import t from 'tap';
import { fuzzShapes } from './shape-fuzz.js';

const TEMPLATES = 500;

t.test('random templates', async (t) => {
  const { decided, problems } = await fuzzShapes(1_000_001, TEMPLATES);
  t.strictSame(problems, []);
  t.ok(decided > 0.7 * TEMPLATES, `${decided} are decided`);
});
