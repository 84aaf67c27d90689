/**
 * npm run bench: starts PostgreSQL and the servers, checks and drives them in turns, prints tables and keeps all samples
 * in .bench/<time>.json. Ends with status 1 when a server answers wrongly or does not start, with 2 for a bad option.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import path from 'node:path';
import { buildBase, runsPlugins, runsTools } from './base.js';
import { CASES } from './cases.js';
import { BASE, CONTESTANTS, laidOut, placeFor, service, type Contestant } from './contestants.js';
import { startDatabase, type Database } from './database.js';
import { startContestant, type Idle } from './idle.js';
import { LIMITS } from './limits/limits.js';
import { generator } from './load/load.js';
import { output } from './load/program.js';
import { parseOptions, USAGE, UsageError, wants, type Cell, type Options } from './options.js';
import { buildPlugin, compilerMissing } from './plugins/build.js';
import { keepProfiles } from './profile.js';
import { fromProject, keptFolder } from './project.js';
import { idleTable } from './report.js';
import { statusOf, type Server } from './server.js';
import { sleepers, sleepersTable, type Slept } from './sleepers.js';
import { takeTables, type Running, type Table } from './tables.js';
import { targetTable } from './targets.js';

const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
/** What is to be undone at the end, last first. */
const undo: (() => Promise<void> | void)[] = [];

function say(line: string): void {
  process.stderr.write(`[bench] ${line}\n`);
}

async function bench(asked: Options): Promise<void> {
  const options = { ...asked, cells: possible(asked.cells) };
  const contestants = await chosen(options);
  const scratch = keptFolder(`run-${process.pid}`);
  undo.push(() => rmSync(scratch, { recursive: true, force: true }));
  const withPlugin = options.cells.some((cell) => cell.case.plugin);
  const plugins = withPlugin ? await buildPlugin(scratch) : undefined;
  say('starting PostgreSQL and loading the data');
  const database = await startDatabase(say);
  undo.push(() => database.stop());
  const servers: Running[] = [];
  const idle: Idle[] = [];
  for (const contestant of contestants) {
    say(`starting ${contestant.name}`);
    const login = await database.loginFor(contestant.name);
    const rest = { connections: options.poolSize, plugins, folder: scratch };
    const place = placeFor(contestant, { database: login, ...rest });
    const started = await startContestant(contestant, place, options.starts);
    undo.push(() => started.server.stop());
    const { name, cases } = contestant;
    servers.push({ name, server: started.server, user: login.user, cases });
    idle.push(started.idle);
    await checkRefusal(name, started.server);
  }
  console.log(await heading(options));
  if (idle.length > 0) console.log(`\n${idleTable(idle)}`);
  const tables = await takeTables({ servers, database, options, scratch, say });
  const targets = targetTable(tables);
  if (targets !== undefined) console.log(`\n${targets}`);
  const slept = withPlugin ? await sleepers(options, database, { plugins, folder: scratch }) : [];
  if (slept.length > 0) console.log(`\n${sleepersTable(slept)}`);
  const file = path.join(keptFolder(), `${stamp}.json`);
  writeFileSync(file, JSON.stringify(record(options, idle, tables, slept), undefined, 1));
  console.log(`\nall samples: ${file}`);
  if (options.profile) await profile(options, database, plugins);
}

/** checkRefusal makes sure that a server which is measured with tokens does look at them. */
async function checkRefusal(name: string, { port, authorization }: Server): Promise<void> {
  if (authorization === undefined) return;
  const status = await statusOf({ port, authorization: undefined }, CASES[0]!.path(1));
  if (status !== 401) throw new Error(`${name} answers ${status} to a request without a token`);
}

/** possible leaves out the cells that cannot be measured on this machine, and says which. */
function possible(cells: readonly Cell[]): Cell[] {
  const reason = compilerMissing();
  return cells.filter((cell) => {
    if (!cell.case.plugin || reason === undefined) return true;
    say(`without ${cell.case.name}, ${cell.connections} connections: ${reason}`);
    return false;
  });
}

/** chosen are the contestants that take part, after saying who does not. Rejects for a name that nobody has. */
async function chosen(options: Options): Promise<Contestant[]> {
  const all = [...CONTESTANTS, ...LIMITS];
  const unknown = options.servers.find((name) => !all.some((candidate) => candidate.name === name));
  if (unknown !== undefined) throw new UsageError(`no server is named ${unknown}`);
  for (const candidate of all) {
    const reason = wants(options, candidate.name) ? candidate.missing?.() : undefined;
    if (reason !== undefined) say(`without ${candidate.name}: ${reason}`);
  }
  const result = CONTESTANTS.filter(
    (contestant) =>
      wants(options, contestant.name) &&
      takesPart(options, contestant) &&
      contestant.missing?.() === undefined,
  );
  result.push(...options.layouts.map(laidOut));
  if (options.base === undefined) return result;
  say(`building ${options.base}`);
  const folder = await buildBase(options.base);
  const base = service(BASE, folder);
  const cases = CASES.filter(
    ({ plugin, tool }) => (!plugin || runsPlugins(folder)) && (!tool || runsTools(folder)),
  );
  return [...result, { ...base, cases: cases.map(({ name }) => name) }];
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
  await keepProfiles(options, database, plugins, folder);
  console.log(`profiles, for the browser's developer tools or an editor: ${folder}`);
}

async function heading({ rounds, seconds, poolSize, base }: Options): Promise<string> {
  const processors = cpus();
  const commit = await output('git', ['describe', '--always', '--dirty'], { cwd: fromProject('.') })
    .then((text) => `commit ${text.trim()}`)
    .catch(() => 'not a git checkout');
  return [
    `${processors.length} × ${processors[0]?.model ?? 'unknown CPU'}, Linux ${release()}, Node ${process.version}`,
    `${commit}${base === undefined ? '' : `, before: ${base}`}; load from ${generator}`,
    `${rounds} rounds of ${seconds} s, ${poolSize} connections to PostgreSQL for each server`,
  ].join('\n');
}

/** record is what is kept of a run. */
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

/** finish undoes all that was started, whatever fails on the way. */
async function finish(): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) {
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
  // What was under way when the servers were stopped has failed too, and is not worth a word.
  if (!interruption.signal.aborted)
    say(error instanceof UsageError ? `${error.message}\n${USAGE}` : String(error));
} finally {
  await finish();
}
