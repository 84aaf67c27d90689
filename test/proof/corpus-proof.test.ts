/** The proof of every script of the corpus: it finds the branch that is broken, its place and when, and nothing else. */
import { performance } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import { prove, type Finding, type Proof } from '#app/proof/branches/proof.js';
import { ShapedStatements } from '#app/script/statement/shaped-statements.js';
import { jsonFrame, StatementBuilder } from '#app/script/statement/statement.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { combinations, holds, type Broken, type Expectation } from './corpus/expectation.js';
import { EXPECTED } from './corpus/expected.js';
import { outcomeOf } from './corpus/outcome.js';
import { corpusScripts, SCHEMA, type CorpusScript } from './corpus/scripts.js';
import { meets } from './corpus/when.js';

const server = await startPostgres(t, { setup: SCHEMA });
const { database } = new TestDatabase(t, server);
const MAX_RESULT = 32 << 20;
const statements = new StatementBuilder(jsonFrame('json_agg', MAX_RESULT));
const shaped = new ShapedStatements('json_agg', MAX_RESULT);
const TABLES = ['customers', 'orders', 'products', 'settings'];

function proofOf({ path, text }: CorpusScript): Promise<Proof> {
  const { verb, head } = text;
  const checking = {
    script: path,
    verb,
    statements: (verb === 'read' ? shaped.of(head) : undefined) ?? statements,
    describe: (sql: string) => database.describe(sql),
    tables: TABLES,
  };
  const end = performance.now() + 200_000;
  const isOver = () => performance.now() > end;
  return prove(text, checking, { paths: 4_096, shapes: 512, pairs: 4_096, isOver });
}

for (const script of corpusScripts()) {
  const expectation = EXPECTED[script.key]!;
  t.test(`${script.key}: ${expectation.about}`, async (t) => {
    const { verdict, findings, open } = await proofOf(script);
    const shown = JSON.stringify({ findings, open });
    t.ok(verdictsOf(expectation).includes(verdict), `${verdict}: ${shown}`);
    if (expectation.broken === undefined) t.strictSame(findings, []);
    else for (const finding of findings) isAt(t, finding, expectation.broken);
    await isWhen(t, script, findings);
  });
}

function verdictsOf({ broken, open, many }: Expectation): readonly Proof['verdict'][] {
  if (broken !== undefined) return ['broken'];
  if (open === 'value') return ['proved', 'open'];
  if (open !== undefined) return ['open'];
  return [many ? 'covered' : 'proved'];
}

function isAt(t: Test, { code, place }: Finding, broken: Broken): void {
  t.equal(code, broken.code);
  if (place !== undefined || !broken.unplaced) t.equal(place?.line, broken.line);
  if (!broken.unplaced) t.equal(place?.column, broken.column);
}

/** Every request for which the script fails is one for which a finding holds, and no other one. */
async function isWhen(t: Test, script: CorpusScript, findings: readonly Finding[]): Promise<void> {
  const expectation = EXPECTED[script.key]!;
  const { broken, needs } = expectation;
  for (const sample of combinations(expectation)) {
    if (needs?.some((name) => sample[name] === undefined)) continue;
    if ((await outcomeOf(script.path, script.text, sample, database)) === 'refused') continue;
    const found = findings.filter(({ when }) => meets(when, sample, script.text));
    const wanted = broken !== undefined && holds(broken.when, sample, script.text);
    t.equal(found.length > 0, wanted, JSON.stringify({ sample, when: found.map((f) => f.when) }));
  }
}
