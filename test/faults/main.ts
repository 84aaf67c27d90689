/**
 * npm run test:faults: runs the service through faults under load, prints a line for each and the table at the end. Ends
 * with status 1 when a fault was not survived, with 2 for a bad option.
 */
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Campaign, type Result } from './campaign.js';
import { CLIENT_FAULTS } from './clients.js';
import type { Fault } from './fault.js';
import { NETWORK_FAULTS } from './network.js';
import { parseOptions, USAGE, UsageError, type Options } from './options.js';
import { DATA_FAULTS } from './postgres-data.js';
import { SERVER_FAULTS } from './postgres-server.js';
import { SESSION_FAULTS } from './postgres-sessions.js';
import { PROCESS_FAULTS } from './processes.js';
import { Random } from '../../bench/random.js';
import { line, table, write } from './report.js';
import { Cleanup, Site } from './site.js';

const FAULTS: readonly Fault[] = [
  ...SESSION_FAULTS,
  ...SERVER_FAULTS,
  ...DATA_FAULTS,
  ...NETWORK_FAULTS,
  ...PROCESS_FAULTS,
  ...CLIENT_FAULTS,
];

// From dist-test/test/faults to the project.
const DOCUMENT = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url));

/** Minutes after which no further fault is begun. */
const LIMIT = 14;

async function campaign(options: Options, chosen: readonly Fault[]): Promise<boolean> {
  const cleanup = new Cleanup();
  const began = performance.now();
  const seconds = (since: number): number => (performance.now() - since) / 1000;
  try {
    const site = await Site.start(cleanup);
    const version = Number.parseInt(await versionOf(site), 10);
    const faults = chosen.filter(({ since = 0 }) => version >= since);
    for (const { name, since = 0 } of chosen)
      if (version < since) console.log(`left out: ${name}: PostgreSQL ${since} has it first`);
    console.log(`seed ${options.seed}, ${faults.length} faults, ${options.rounds} times each`);
    const run = new Campaign(site, new Random(options.seed), options.rounds);
    const results: Result[] = [];
    for (const fault of faults) {
      const since = performance.now();
      if (seconds(began) > LIMIT * 60) break;
      const result = await run.run(fault);
      results.push(result);
      console.log(line(result, seconds(since)));
      for (const sample of result.tally.samples) console.log(`         ${sample}`);
    }
    const machine = await machineOf(site);
    console.log(`\n${machine}\n\n${table(results)}\n`);
    if (options.write) write(DOCUMENT, machine, results);
    const late = await run.judgeAll();
    const failed = results.filter(({ findings }) => findings.length > 0);
    const left = faults.length - results.length;
    if (left > 0) console.log(`${left} faults were not tried: ${LIMIT} minutes are over`);
    const counts = Object.entries<readonly number[]>({ ...late }).map(
      ([what, numbers]) => `${numbers.length} ${what}`,
    );
    console.log(`in all, writes: ${counts.join(', ')}`);
    console.log(`${results.length - failed.length} faults survived, ${failed.length} not`);
    console.log(`seed ${options.seed}, ${Math.round(seconds(began))} s`);
    return (
      failed.length + left === 0 && Object.values({ ...late }).every(({ length }) => length === 0)
    );
  } finally {
    await cleanup.run();
  }
}

async function machineOf(site: Site): Promise<string> {
  return `${cpus().length} cores, Node ${process.version}, PostgreSQL ${await versionOf(site)}.`;
}

async function versionOf({ postgres }: Site): Promise<string> {
  const [row] = await postgres.sql<{ server_version: string }>('SHOW server_version');
  return row!.server_version.split(' ', 1)[0]!;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help' || options === 'list') {
    console.log(options === 'help' ? USAGE : FAULTS.map(({ name }) => name).join('\n'));
    return 0;
  }
  const { only } = options;
  const faults = FAULTS.filter(
    ({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  if (faults.length === 0) throw new UsageError(`no fault has ${only.join(' or ')} in its name`);
  return (await campaign(options, faults)) ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
