/**
 * The protocol's conformance suites, with all their scenarios for servers. What does not pass stands in baseline.json with
 * the reason: anything else that fails is an error, and so is an entry that passes by now.
 */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { run, temporaryFolder, type ProgramName } from './program.js';
import { openEndpoint, startShop } from './shop.js';

const BASELINE = new URL('../../../../test/mcp/clients/baseline.json', import.meta.url);

/** Checks messages of all scenarios against the protocol's schema; no entry for a scenario excuses it. */
const SCHEMA = 'wire-schema-valid';

/** Each run: the program, and arguments that choose the version of the protocol; without one, each scenario has its own. */
const RUNS: readonly (readonly [ProgramName, readonly string[]])[] = [
  ['conformance', []],
  ['conformance-next', []],
  ['conformance-next', ['--spec-version', '2026-07-28']],
  ['conformance-next', ['--spec-version', '2025-06-18']],
  ['conformance-next', ['--spec-version', '2025-03-26']],
];

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

type Scenarios = ReadonlyMap<string, readonly Check[]>;

/** Reason by `scenario` or `scenario:check`. */
const baseline = new Map(
  Object.entries(JSON.parse(fs.readFileSync(BASELINE, 'utf8')) as Record<string, string>),
);

const notPassed = ({ status }: Check): boolean =>
  status === 'FAILURE' || status === 'WARNING' || status === 'SKIPPED';

/** Entry of the baseline that covers a check. */
function entryFor(scenario: string, { id }: Check): string | undefined {
  const keys = id === SCHEMA ? [] : [`${scenario}:${id}`, scenario];
  return keys.find((key) => baseline.has(key));
}

/** The scenarios of one run and what each of their checks came to, as the program has written them into a folder. */
async function runScenarios(
  program: ProgramName,
  args: readonly string[],
  url: string,
  folder: string,
): Promise<Scenarios> {
  const results = fs.mkdtempSync(path.join(folder, 'results-'));
  const command = ['server', '--url', url, '--suite', 'all', '--output-dir', results, ...args];
  const { stdout, stderr } = await run(program, folder, command);
  const scenarios = new Map<string, Check[]>();
  for (const name of fs.readdirSync(results)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    const file = path.join(results, name, 'checks.json');
    if (scenario === undefined || !fs.existsSync(file))
      throw new Error(`no result in ${name}: ${stdout}${stderr}`);
    scenarios.set(scenario, JSON.parse(fs.readFileSync(file, 'utf8')) as Check[]);
  }
  return scenarios;
}

const url = await openEndpoint(t, await startShop(t));
const folder = temporaryFolder(t);
const runs: Scenarios[] = [];

for (const [program, args] of RUNS) {
  t.test([program, ...args].join(' '), async (t) => {
    const scenarios = await runScenarios(program, args, url, folder);
    runs.push(scenarios);
    const unexpected = [];
    const stale = [];
    for (const [scenario, checks] of scenarios) {
      const failed = checks.filter(notPassed);
      for (const check of failed) {
        if (entryFor(scenario, check) === undefined)
          unexpected.push(`${scenario}:${check.id} ${check.status} ${check.errorMessage ?? ''}`);
      }
      if (baseline.has(scenario) && failed.length === 0) stale.push(scenario);
      for (const { id, status } of checks) {
        const key = `${scenario}:${id}`;
        if (status === 'SUCCESS' && baseline.has(key)) stale.push(key);
      }
    }
    t.strictSame(unexpected, [], 'everything else passes');
    t.strictSame(stale, [], 'what the baseline excuses does not pass');
    if (args.length === 0) {
      const { stdout } = await run(program, folder, ['list', '--server']);
      const listed = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
      t.strictSame([...scenarios.keys()].sort(), listed.sort(), 'all scenarios were run');
    }
  });
}

t.test('the baseline excuses nothing that was not seen', (t) => {
  const used = new Set<string | undefined>();
  for (const scenarios of runs) {
    for (const [scenario, checks] of scenarios) {
      for (const check of checks.filter(notPassed)) used.add(entryFor(scenario, check));
    }
  }
  t.strictSame(
    [...baseline.keys()].filter((key) => !used.has(key)),
    [],
  );
  t.strictSame(
    [...baseline].filter(([, reason]) => reason.trim() === ''),
    [],
    'each has its reason',
  );
  t.end();
});
