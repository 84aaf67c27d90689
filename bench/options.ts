/**
 * The command line of the benchmark. Throws UsageError for invalid usage.
 */
import { parseArgs } from 'node:util';
import { serversNamed } from '#scripts/installed-postgres.mjs';
import { CASES, type Case } from './cases.js';
import type { Layout } from './contestants.js';

export interface Options {
  readonly rounds: number;
  /** Duration of a sample. */
  readonly seconds: number;
  /** Duration of the discarded first sample of each server in a table. */
  readonly warmUp: number;
  readonly cells: readonly Cell[];
  /** Names of selected contestants; when empty, all, or with layouts none. */
  readonly servers: readonly string[];
  /** Layouts of the service to compare. */
  readonly layouts: readonly Layout[];
  /** Limit of connections of each server to PostgreSQL. */
  readonly poolSize: number;
  /** Number of starts of each server for the idle figures. */
  readonly starts: number;
  /** Revision, or folder of one, to compare with. */
  readonly base?: string;
  readonly profile: boolean;
  /** Folder of the programs of PostgreSQL, if not the embedded one. */
  readonly bin?: string;
  /** Whether only an idle service is measured. */
  readonly idle: boolean;
}

/** A case at a number of connections: one table of the result. */
export interface Cell {
  readonly case: Case;
  readonly connections: number;
}

export class UsageError extends Error {}

export const USAGE = `Usage: npm run bench -- [options]
  --cases a,b         of: ${CASES.map(({ name }) => name).join(', ')}
  --servers a,b       contestants, by name; limits are pgbench, pgbench-pipeline, psql
  --concurrency 1,32  connections, for every case
  --rounds 3          samples of each server and case, in turns
  --seconds 3         length of a sample
  --warm 1            seconds of load on each server before its first sample of a case
  --pool 10           connections of each server to PostgreSQL
  --layouts 1x1,2x2   the service in these layouts (HTTP processes x threads); others only if named; --pool 24
  --base REF          also builds and measures this revision of the service, or the one in ./FOLDER
  --postgres debian   the newest PostgreSQL of packages instead of the embedded one; or a version, or ./FOLDER of programs
  --idle              only what the service has PostgreSQL do without requests; exit status 1 above the limits
  --profile           keeps CPU profiles of the service in .bench/
  --quick             one round of one second
  --full              every case at every concurrency`;

/** parseOptions parses the arguments; undefined for `--help`. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const quick = values.quick === true;
  const poolSize = positive('pool', values.pool ?? (values.layouts === undefined ? '10' : '24'));
  return {
    rounds: positive('rounds', values.rounds ?? (quick ? '1' : '3')),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '3')),
    warmUp: positive('warm', values.warm ?? '1'),
    cells: cells(values.cases, values.concurrency, values.full === true),
    servers: splitList(values.servers),
    layouts: splitList(values.layouts).map((text) => parseLayout(text, poolSize)),
    poolSize,
    starts: quick ? 1 : 3,
    ...(values.base === undefined ? {} : { base: values.base }),
    profile: values.profile === true,
    ...(values.postgres === undefined ? {} : { bin: binOf(values.postgres) }),
    idle: values.idle === true,
  };
}

function parse(args: readonly string[]) {
  const string = { type: 'string' } as const;
  const boolean = { type: 'boolean' } as const;
  const options = {
    ...{ cases: string, servers: string, concurrency: string, rounds: string, seconds: string },
    ...{
      warm: string,
      pool: string,
      layouts: string,
      base: string,
      postgres: string,
      idle: boolean,
      profile: boolean,
      quick: boolean,
      full: boolean,
      help: boolean,
    },
  };
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** cells are the selected tables. For a case with a second load, the one without it is added for comparison. */
function cells(names: string | undefined, concurrency: string | undefined, full: boolean): Cell[] {
  const wanted = splitList(names);
  const unknown = wanted.find((name) => !CASES.some((candidate) => candidate.name === name));
  if (unknown !== undefined) throw new UsageError(`no case is named ${unknown}`);
  const given = splitList(concurrency).map((text) => positive('concurrency', text));
  const chosen = CASES.filter(({ name, ordinary }) =>
    wanted.length === 0 ? full || ordinary.length > 0 : wanted.includes(name),
  );
  const result = chosen.flatMap((subject) => {
    const usual = full || subject.ordinary.length === 0 ? subject.full : subject.ordinary;
    return (given.length > 0 ? given : usual).map((connections) => ({
      case: subject,
      connections,
    }));
  });
  const alone = result
    .filter(({ case: subject }) => subject.beside)
    .map(({ connections }) => ({ case: CASES[0]!, connections }))
    .filter(
      (cell) =>
        !result.some((other) => other.case === cell.case && other.connections === cell.connections),
    );
  return [...alone, ...result];
}

/** wants tells whether a contestant takes part, by its name. */
export function wants({ servers, layouts }: Options, name: string): boolean {
  return servers.length === 0 ? layouts.length === 0 : servers.includes(name);
}

/** parseLayout parses a layout. Connections must divide evenly, so that all layouts have the same number. */
function parseLayout(text: string, poolSize: number): Layout {
  const [processes = 0, threads = 0] =
    /^([1-9]\d*)x([1-9]\d*)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (processes === 0) throw new UsageError(`--layouts must be like 2x3, not ${text}`);
  if (poolSize % (processes * threads) === 0) return { processes, threads };
  throw new UsageError(`--pool must be a multiple of the threads of ${text}, not ${poolSize}`);
}

/** binOf is the folder of the newest of the named servers. */
function binOf(name: string): string {
  try {
    return serversNamed(name).at(-1)!.bin;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function splitList(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '');
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} must be a whole number above 0, not ${text}`);
}
