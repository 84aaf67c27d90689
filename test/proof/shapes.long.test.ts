/** What the exploration of 100,000 random templates lists is what the engine renders for random requests, and all of it. */
import t from 'tap';
import { fuzzShapes } from './shape-fuzz.js';

t.setTimeout(300_000);

const TEMPLATES = 100_000;

t.test('random templates', async (t) => {
  const { decided, requests, problems, reasons } = await fuzzShapes(1, TEMPLATES);
  t.strictSame(problems, []);
  t.comment(`${requests} requests for ${decided} templates`, Object.fromEntries(reasons));
  t.ok(decided > 0.7 * TEMPLATES, `${decided} are decided`);
});
