/**
 * The corpus of scripts, half of them broken in one branch: for every combination of sample values a script fails as
 * expected where its condition holds, and nowhere else. Nothing here proves; it shows that the expectations are true.
 */
import t from 'tap';
import { PARAMETER_DEFAULTS } from '#app/script/request/request-data.js';
import { parametersOf } from '#app/template/parameters.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { combinations, holds, type Expectation } from './corpus/expectation.js';
import { EXPECTED } from './corpus/expected.js';
import { outcomeOf, type Outcome } from './corpus/outcome.js';
import { corpusScripts, SCHEMA, type CorpusScript } from './corpus/scripts.js';

const server = await startPostgres(t, { setup: SCHEMA });
const { database } = new TestDatabase(t, server);
const scripts = corpusScripts();

t.test('the corpus is large, and half of it is broken', (t) => {
  const expected = Object.values(EXPECTED);
  t.strictSame(Object.keys(EXPECTED).sort(), scripts.map(({ key }) => key).sort());
  t.ok(expected.length >= 70);
  const broken = expected.filter((one) => one.broken !== undefined).length;
  t.ok(Math.abs(broken - expected.length / 2) <= expected.length / 10, `${broken} are broken`);
  t.end();
});

for (const script of scripts) {
  const expectation = EXPECTED[script.key]!;
  t.test(`${script.key}: ${expectation.about}`, async (t) => {
    const { list } = parametersOf(script.text.template.text, script.path);
    const used = list
      .map(({ name }) => name)
      .filter((name) => name !== 'header' && !PARAMETER_DEFAULTS.has(name));
    const tried = Object.keys(expectation.values);
    t.strictSame(used.filter((name) => !tried.includes(name)), [], 'every parameter has values'); // prettier-ignore
    let fine = 0;
    let failed = 0;
    for (const sample of combinations(expectation)) {
      const outcome = await outcomeOf(script.path, script.text, sample, database);
      if (outcome === 'refused') continue;
      const shown = JSON.stringify(sample);
      const missing = expectation.needs?.filter((name) => sample[name] === undefined) ?? [];
      const broken = brokenBy(expectation, script, sample);
      if (missing.length > 0) t.ok(blames(outcome, missing), `${shown} lacks ${missing.join()}`);
      else if (broken === undefined) {
        t.equal(outcome && JSON.stringify(outcome), undefined, shown);
        fine++;
      } else {
        t.strictSame(found(outcome), wanted(broken, outcome), shown);
        failed++;
      }
    }
    t.ok(fine > 0, 'some requests are answered');
    t.equal(failed > 0, expectation.broken !== undefined, 'and only those of a broken branch fail');
  });
}

/** Whether the service answers 400: it names the parameter, or a text in quotes is not of its type. */
function blames(outcome: Outcome, missing: readonly string[]): boolean {
  if (outcome === undefined || outcome === 'refused') return false;
  return missing.includes(outcome.parameter ?? '') || outcome.code.startsWith('22');
}

type Broken = NonNullable<Expectation['broken']>;

function brokenBy(
  { broken }: Expectation,
  { text }: CorpusScript,
  sample: Parameters<typeof holds>[1],
): Broken | undefined {
  return broken !== undefined && holds(broken.when, sample, text) ? broken : undefined;
}

function found(outcome: Outcome): unknown {
  if (outcome === undefined || outcome === 'refused') return outcome;
  const { code, line, column } = outcome;
  return { code, line, column };
}

function wanted({ code, line, column, unplaced }: Broken, outcome: Outcome): unknown {
  const reported = typeof outcome === 'object' ? outcome.column : undefined;
  if (unplaced) return { code, line: undefined, column: undefined };
  return { code, line, column: column ?? reported };
}
