/** `check` names another engine that speaks PostgreSQL's protocol, and what it lacks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { COCKROACHDB, startOtherEngine, type Rules } from '../../support/other-engine.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t);
const folder = makeFolder(t);
mkdirSync(join(folder, 'queries', 'one'), { recursive: true });
writeFileSync(join(folder, 'queries', 'one', 'one.read.sql'), 'SELECT 1 AS n');

async function check(rules: Rules, ...args: string[]): Promise<{ code: number; stdout: string }> {
  const { url } = await startOtherEngine(t, server, rules);
  const { code, stdout } = await run(folder, ['check', ...args], { DATABASE_URL: url });
  return { code: code!, stdout };
}

t.test('CockroachDB: nothing is proved', async (t) => {
  const { code, stdout } = await check(COCKROACHDB, '--json');
  const report = JSON.parse(stdout) as Report;
  t.equal(code, 0, stdout);
  t.match(report.databases, [{ ok: true, engine: 'CockroachDB', version: '25.2.1' }]);
  const about = report.warnings.filter((warning) => warning.includes('CockroachDB: it '));
  t.match(about, [/no LISTEN/, /no history/, /sorted/, /xmin/, /no standby servers/]);
  t.match(report.proof, { ok: true, proved: 0, open: 0, unproved: 1, broken: 0 });
  const [script] = report.proof!.scripts;
  t.match(script?.open, [{ what: 'all of it: proofs need PostgreSQL, and the database is CockroachDB 25.2.1' }]); // prettier-ignore
});

t.test('Citus: the extension of a PostgreSQL', async (t) => {
  const { code, stdout } = await check([[/\(SELECT extversion[^)]*\)/, `'13.0-1'`]]);
  t.equal(code, 0, stdout);
  t.match(stdout, /^database postgres ok: Citus 13\.0-1$/m);
  t.match(stdout, /warning: database postgres: Citus: settings of a transaction stay/);
  t.match(stdout, /^proof ok: 1 script, 1 proved/m);
});
