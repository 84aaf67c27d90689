/**
 * npm run bench: starts PostgreSQL and the servers, checks and measures them in turns, prints tables, and writes all samples
 * to .bench/<time>.json. Exit status 1 when a server does not start or responds wrongly, or an idle service is above a limit
 * (`--idle`), 2 for invalid usage.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import path from 'node:path';
import { buildBase, readsBodies, runsPlugins, runsSeveral, runsTools } from './base.js';
import { CASES } from './cases.js';
import {
  BASE,
  CONTESTANTS,
  placeFor,
  service,
  withLayout,
  type Contestant,
} from './contestants.js';
import { startDatabase, type Database } from './database.js';
import { measureIdle, startContestant, type Idle, type Started } from './idle.js';
import { LIMITS } from './limits/limits.js';
import { generator } from './load/load.js';
import { output } from './load/program.js';
import { parseOptions, USAGE, UsageError, wants, type Cell, type Options } from './options.js';
import { buildPlugin, compilerMissing } from './plugins/build.js';
import { writeProfiles } from './profile.js';
import { measureOwnWork, ownWorkTable } from './own-work/own-work.js';
import { fromProject, keptFolder } from './project.js';
import { idleTable } from './report.js';
import { statusOf, type Server } from './server.js';
import { sleepers, sleepersTable, type Slept } from './sleepers.js';
import { takeTables, type Running, type Table } from './tables.js';
import { targetTable } from './targets.js';

const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
/** Functions to run at the end, last first. */
const cleanups: (() => Promise<void> | void)[] = [];

function say(line: string): void {
  process.stderr.write(`[bench] ${line}\n`);
}

async function bench(requested: Options): Promise<void> {
  if (requested.idle) return benchIdle(requested);
  const options = { ...requested, cells: measurable(requested.cells) };
  const contestants = await selectContestants(options);
  const scratch = scratchFolder();
  const withPlugin = options.cells.some((cell) => cell.case.plugin);
  const plugins = withPlugin ? await buildPlugin(scratch) : undefined;
  say('starting PostgreSQL and loading the data');
  const database = await startDatabase(say, options.bin);
  cleanups.push(() => database.stop());
  const servers: Running[] = [];
  const starts: Started[] = [];
  for (const contestant of contestants) {
    say(`starting ${contestant.name}`);
    const login = await database.loginFor(contestant.name);
    const rest = { connections: options.poolSize, plugins, folder: scratch };
    const place = placeFor(contestant, { database: login, ...rest });
    const started = await startContestant(contestant, place, options.starts);
    cleanups.push(() => started.server.stop());
    const { name, cases } = contestant;
    servers.push({ name, server: started.server, user: login.user, cases });
    starts.push(started);
    await checkRefusal(name, started.server);
  }
  const idle = await measureIdle(starts);
  console.log(await heading(options, database));
  if (idle.length > 0) console.log(`\n${idleTable(idle)}`);
  const tables = await takeTables({ servers, database, options, scratch, say });
  const targets = targetTable(tables, idle);
  if (targets !== undefined) console.log(`\n${targets}`);
  const slept = withPlugin ? await sleepers(options, database, { plugins, folder: scratch }) : [];
  if (slept.length > 0) console.log(`\n${sleepersTable(slept)}`);
  const file = path.join(keptFolder(), `${stamp}.json`);
  writeFileSync(file, JSON.stringify(record(options, idle, tables, slept), undefined, 1));
  console.log(`\nall samples: ${file}`);
  if (options.profile) await profile(options, database, plugins);
}

/** benchIdle measures a service without requests; above a limit, the exit status is 1. */
async function benchIdle(options: Options): Promise<void> {
  const scratch = scratchFolder();
  say('starting PostgreSQL and loading the data');
  const database = await startDatabase(say, options.bin);
  cleanups.push(() => database.stop());
  const work = await measureOwnWork(database, scratch, say);
  const { met, text } = ownWorkTable(work);
  console.log(`${await machine()}\n${database.description}\n\n${text}`);
  if (!met) process.exitCode = 1;
}

function scratchFolder(): string {
  const folder = keptFolder(`run-${process.pid}`);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** checkRefusal verifies that a server measured with tokens refuses requests without one. */
async function checkRefusal(name: string, { port, authorization }: Server): Promise<void> {
  if (authorization === undefined) return;
  const status = await statusOf({ port, authorization: undefined }, CASES[0]!.path(1));
  if (status !== 401) throw new Error(`${name} answers ${status} to a request without a token`);
}

/** measurable removes the cells that cannot be measured on this machine, and prints which. */
function measurable(cells: readonly Cell[]): Cell[] {
  const reason = compilerMissing();
  return cells.filter((cell) => {
    if (!cell.case.plugin || reason === undefined) return true;
    say(`without ${cell.case.name}, ${cell.connections} connections: ${reason}`);
    return false;
  });
}

/** selectContestants resolves to the contestants that take part, and prints which cannot. Rejects for an unknown name. */
async function selectContestants(options: Options): Promise<Contestant[]> {
  const all = [...CONTESTANTS, ...LIMITS];
  const unknown = options.servers.find((name) => !all.some((candidate) => candidate.name === name));
  if (unknown !== undefined) throw new UsageError(`no server is named ${unknown}`);
  for (const candidate of all) {
    const reason = wants(options, candidate.name) ? candidate.missing?.() : undefined;
    if (reason !== undefined) say(`without ${candidate.name}: ${reason}`);
  }
  const result: Contestant[] = [];
  for (const contestant of CONTESTANTS) {
    if (!wants(options, contestant.name) || !takesPart(options, contestant)) continue;
    if (contestant.missing?.() === undefined && (await isBuilt(contestant)))
      result.push(contestant);
  }
  result.push(...options.layouts.map(withLayout));
  if (options.base === undefined) return result;
  say(`building ${options.base}`);
  const folder = await buildBase(options.base);
  const base = service(BASE, folder);
  const cases = CASES.filter(
    ({ plugin, tool, pair, several }) =>
      (!plugin || runsPlugins(folder)) &&
      (!tool || runsTools(folder)) &&
      (!pair || readsBodies(folder)) &&
      (!several || runsSeveral(folder)),
  );
  return [...result, { ...base, cases: cases.map(({ name }) => name) }];
}

/** isBuilt builds the program of a contestant that has one to build; when that fails, it prints why. */
async function isBuilt(contestant: Contestant): Promise<boolean> {
  const { name } = contestant;
  if (!contestant.build) return true;
  say(`building ${name}`);
  try {
    await contestant.build();
    return true;
  } catch (error) {
    say(`without ${name}: ${(error as Error).message}`);
    return false;
  }
}

function takesPart({ cells }: Options, { cases }: Contestant): boolean {
  return cells.some((cell) => cases?.includes(cell.case.name) ?? true);
}

async function profile(
  options: Options,
  database: Database,
  plugins: string | undefined,
): Promise<void> {
  const folder = keptFolder(`${stamp}-profiles`);
  say('profiling the service');
  await writeProfiles(options, database, plugins, folder);
  console.log(`profiles, for the browser's developer tools or an editor: ${folder}`);
}

async function heading(
  { rounds, seconds, warmUp, poolSize, base }: Options,
  { description }: Database,
): Promise<string> {
  return [
    `${await machine()}${base === undefined ? '' : `, before: ${base}`}; load from ${generator}`,
    `${rounds} rounds of ${seconds} s after ${warmUp} s, ${poolSize} connections to ${description} for each server`,
  ].join('\n');
}

async function machine(): Promise<string> {
  const processors = cpus();
  const commit = await output('git', ['describe', '--always', '--dirty'], { cwd: fromProject('.') })
    .then((text) => `commit ${text.trim()}`)
    .catch(() => 'not a git checkout');
  const model = processors[0]?.model ?? 'unknown CPU';
  return `${processors.length} × ${model}, Linux ${release()}, Node ${process.version}\n${commit}`;
}

/** record is the content of the file of a run. */
function record(
  options: Options,
  idle: readonly Idle[],
  tables: readonly Table[],
  slept: readonly Slept[],
): object {
  return {
    time: stamp,
    machine: { cpus: cpus().map(({ model }) => model), kernel: release(), node: process.version },
    generator,
    options: { ...options, cells: undefined },
    idle,
    tables: tables.map(({ cell, rows }) => ({
      case: cell.case.name,
      connections: cell.connections,
      rows,
    })),
    sleepers: slept,
  };
}

/** finish runs the cleanups, even if some of them fail. */
async function finish(): Promise<void> {
  for (let step = cleanups.pop(); step; step = cleanups.pop()) {
    try {
      await step();
    } catch (error) {
      say(String(error));
    }
  }
}

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interruption.abort();
    say('stopping');
    void finish().then(() => process.exit(1));
  });
}
try {
  const options = parseOptions(process.argv.slice(2));
  if (options) await bench(options);
  else console.log(USAGE);
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  // Errors of work that the interruption stopped are not printed.
  if (!interruption.signal.aborted)
    say(error instanceof UsageError ? `${error.message}\n${USAGE}` : String(error));
} finally {
  await finish();
}
