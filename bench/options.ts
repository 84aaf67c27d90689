/**
 * The command line of the benchmark. Throws UsageError for what it does not know.
 */
import { parseArgs } from 'node:util';
import { CASES, type Case } from './cases.js';
import type { Layout } from './contestants.js';

export interface Options {
  readonly rounds: number;
  /** Length of a sample. */
  readonly seconds: number;
  readonly cells: readonly Cell[];
  /** Names of the contestants wanted; all when empty, apart from a run for layouts. */
  readonly servers: readonly string[];
  /** Layouts of the service to compare. */
  readonly layouts: readonly Layout[];
  /** Most connections of each server to PostgreSQL. */
  readonly poolSize: number;
  /** How often each server is started for the figures of an idle one. */
  readonly starts: number;
  /** Revision, or folder with one, to compare with. */
  readonly base?: string;
  readonly profile: boolean;
}

/** Cell is one case at one number of connections: a table of the result. */
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
  --pool 10           connections of each server to PostgreSQL
  --layouts 1x1,2x2   the service in these layouts (front ends x threads); others only if named; --pool 24
  --base REF          also builds and measures this revision of the service, or the one in ./FOLDER
  --profile           keeps CPU profiles of the service in .bench/
  --quick             one round of one second
  --full              every case at every concurrency`;

/** parseOptions reads the arguments; undefined when help is asked for. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const quick = values.quick === true;
  const poolSize = positive('pool', values.pool ?? (values.layouts === undefined ? '10' : '24'));
  return {
    rounds: positive('rounds', values.rounds ?? (quick ? '1' : '3')),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '3')),
    cells: cells(values.cases, values.concurrency, values.full === true),
    servers: list(values.servers),
    layouts: list(values.layouts).map((text) => layout(text, poolSize)),
    poolSize,
    starts: quick ? 1 : 3,
    ...(values.base === undefined ? {} : { base: values.base }),
    profile: values.profile === true,
  };
}

function parse(args: readonly string[]) {
  const string = { type: 'string' } as const;
  const boolean = { type: 'boolean' } as const;
  const options = {
    ...{ cases: string, servers: string, concurrency: string, rounds: string, seconds: string },
    ...{
      pool: string,
      layouts: string,
      base: string,
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

/** cells are the tables asked for. The mixed case is compared with the one without the other load, so that comes too. */
function cells(names: string | undefined, concurrency: string | undefined, full: boolean): Cell[] {
  const wanted = list(names);
  const unknown = wanted.find((name) => !CASES.some((candidate) => candidate.name === name));
  if (unknown !== undefined) throw new UsageError(`no case is named ${unknown}`);
  const given = list(concurrency).map((text) => positive('concurrency', text));
  const chosen = CASES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const result = chosen.flatMap((subject) => {
    const usual = full ? subject.full : subject.ordinary;
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

/** layout reads a layout. All layouts shall have the same connections, so they must come out even. */
function layout(text: string, poolSize: number): Layout {
  const [processes = 0, threads = 0] =
    /^([1-9]\d*)x([1-9]\d*)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (processes === 0) throw new UsageError(`--layouts must be like 2x3, not ${text}`);
  if (poolSize % (processes * threads) === 0) return { processes, threads };
  throw new UsageError(`--pool must be a multiple of the threads of ${text}, not ${poolSize}`);
}

function list(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '');
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} must be a whole number above 0, not ${text}`);
}
