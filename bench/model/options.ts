/**
 * The command line of the model. Throws UsageError for invalid usage.
 */
import { parseArgs } from 'node:util';
import { CASES } from '../cases.js';
import type { Layout } from '../contestants.js';
import { UsageError } from '../options.js';

/** What to predict, with the costs of a file. */
export interface Predict {
  readonly command: 'predict';
  readonly costs: string | undefined;
  readonly case: string;
  readonly instances: number;
  readonly cores: number;
  readonly layout: Layout;
  readonly pool: number;
  readonly database: { readonly servers: number; readonly cores: number } | undefined;
  /** Numbers of connections of closed loops, and rates of open ones; if there are none, parts of the highest rate. */
  readonly connections: readonly number[];
  readonly rates: readonly number[];
  readonly local: boolean;
  /** Microseconds. */
  readonly network: number;
  readonly slow: { readonly connections: number; readonly time: number };
  /** Part of each core. */
  readonly disturbance: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly seed: number;
  readonly json: boolean;
}

/** What to measure: costs, and with `check` other layouts to compare with. */
export interface Measure {
  readonly command: 'calibrate' | 'check';
  readonly cases: readonly string[];
  readonly layouts: readonly Layout[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly pool: number;
  /** File of samples, instead of measuring. */
  readonly samples: string | undefined;
  /** File for the costs. */
  readonly output: string | undefined;
  readonly json: boolean;
}

export const USAGE = `Usage: npm run model -- COMMAND [options]

predict: simulates a service, with 50 to 90 % of the highest rate unless --connections or --rates say otherwise
  --cores 2                 of each instance's machine
  --processes 1             HTTP processes of each instance; by default a quarter of the cores
  --threads 1               query workers of each HTTP process
  --pool 24                 connections of each instance to PostgreSQL
  --instances 1             instances of the service, each on a machine of its own
  --database 1x16           servers of PostgreSQL x cores, on machines of their own, between which the
                            instances are divided; else one beside each instance
  --case one                case of the costs
  --connections 32,256      clients that send a request after each response
  --rates 1000,5000         requests per second that come at random
  --local                   the load generator runs on the machine of the service
  --network 100             microseconds from one machine to another and back
  --slow 4x200              also clients x milliseconds of a slow statement
  --disturbance 0           part of each core that other programs take, below 1
  --seconds 1 --warm-up 2   simulated seconds that count, and those before
  --seed 1                  of the random numbers
  --costs FILE              from calibrate; by default bench/model/costs.json
  --json

calibrate: measures the service with one HTTP process and one worker, and prints its costs
check: measures it in several layouts, and compares them with what the costs of the first one predict
  --cases one,page          cases of npm run bench that send GET requests
  --layouts 1x1,2x1,4x1     HTTP processes x threads, for check; it begins with 1x1
  --connections 1,4,32,256
  --rounds 3 --seconds 2    samples of each, and their length
  --pool 24                 connections to PostgreSQL
  --samples FILE            samples of an earlier run instead of a new one
  --output FILE             for the costs
  --json`;

/** Most of anything that is counted, and the highest rate. */
const MOST = 1_000_000;
const HIGHEST = 100_000_000;

const string = { type: 'string' } as const;
const boolean = { type: 'boolean' } as const;
const PREDICT = {
  ...{ costs: string, case: string, instances: string, cores: string, processes: string },
  ...{ threads: string, pool: string, database: string, connections: string, rates: string },
  ...{ local: boolean, network: string, slow: string, disturbance: string, seconds: string },
  ...{ 'warm-up': string, seed: string, json: boolean },
};
const MEASURE = {
  ...{ cases: string, layouts: string, connections: string, rounds: string, seconds: string },
  ...{ pool: string, samples: string, output: string, json: boolean },
};

/** parseOptions parses the arguments; undefined for `--help`. */
export function parseOptions(args: readonly string[]): Predict | Measure | undefined {
  if (args.includes('--help')) return undefined;
  const [command, ...rest] = args;
  if (command === 'predict') return parsePredict(rest);
  if (command === 'calibrate' || command === 'check') return parseMeasure(command, rest);
  throw new UsageError(
    command === undefined ? 'a command is missing' : `no command is named ${command}`,
  );
}

function parsePredict(args: readonly string[]): Predict {
  const values = parsed(() => parseArgs({ args: [...args], options: PREDICT }).values);
  const instances = whole('instances', values.instances ?? '1');
  const cores = whole('cores', values.cores ?? '2');
  const quarter = Math.max(1, Math.floor(cores / 4));
  const processes = whole('processes', values.processes ?? String(quarter));
  const threads = whole('threads', values.threads ?? '1');
  const pool = whole('pool', values.pool ?? String(Math.max(24, 5 * processes * threads)));
  const database = pair('database', values.database, '3x16');
  const slow = pair('slow', values.slow, '4x200') ?? [0, 0];
  const local = values.local === true;
  if (pool < processes * threads)
    throw new UsageError(`--pool must be at least ${processes * threads}, one for each worker`);
  if (slow[0] > 0 && pool < 2 * processes * threads)
    throw new UsageError('--slow needs 2 connections for each worker, see --pool');
  if (local && instances > 1) throw new UsageError('--local is for one instance');
  if (local && database) throw new UsageError('--local is for PostgreSQL on the same machine');
  if (local && values.rates !== undefined)
    throw new UsageError('--local is for --connections, not for --rates');
  return {
    command: 'predict',
    costs: values.costs,
    case: values.case ?? 'one',
    ...{ instances, cores, pool, local },
    layout: { processes, threads },
    database: database && { servers: database[0], cores: database[1] },
    connections: numbers('connections', values.connections),
    rates: numbers('rates', values.rates, HIGHEST),
    network: part('network', values.network ?? '100'),
    slow: { connections: slow[0], time: slow[1] },
    disturbance: part('disturbance', values.disturbance ?? '0', 1),
    seconds: positive('seconds', values.seconds ?? '1'),
    warmUp: positive('warm-up', values['warm-up'] ?? '2'),
    seed: whole('seed', values.seed ?? '1'),
    json: values.json === true,
  };
}

function parseMeasure(command: Measure['command'], args: readonly string[]): Measure {
  const values = parsed(() => parseArgs({ args: [...args], options: MEASURE }).values);
  if (command === 'calibrate' && values.layouts !== undefined)
    throw new UsageError('--layouts is for check: costs come from 1x1');
  const { samples, output, json, ...measured } = values;
  const useless = samples === undefined ? undefined : Object.keys(measured)[0];
  if (useless !== undefined)
    throw new UsageError(`--${useless} is for a new run, not for --samples`);
  const usual = command === 'check' ? '1x1,2x1,4x1' : '1x1';
  const pool = whole('pool', values.pool ?? '24');
  const layouts = list('layouts', values.layouts ?? usual).map((text): Layout => {
    const [processes, threads] = pair('layouts', text, '2x1')!;
    if (pool % (processes * threads) === 0) return { processes, threads };
    throw new UsageError(`--pool must be a multiple of the threads of ${text}, not ${pool}`);
  });
  const [first] = layouts;
  if (first?.processes !== 1 || first.threads !== 1)
    throw new UsageError('--layouts must begin with 1x1, which the costs come from');
  return {
    ...{ command, layouts, pool },
    cases: list('cases', values.cases ?? 'one,page').map(suitable),
    connections: numbers('connections', values.connections ?? '1,4,32,256'),
    rounds: whole('rounds', values.rounds ?? '3'),
    seconds: whole('seconds', values.seconds ?? '2'),
    samples,
    output,
    json: json === true,
  };
}

/** suitable is a case that the model knows: one that sends GET requests, with no second load. */
function suitable(name: string): string {
  const found = CASES.find((one) => one.name === name);
  const isOnlyGet = found?.method === 'GET' && found.methodOf === undefined;
  if (isOnlyGet && !found.plugin && !found.beside) return name;
  throw new UsageError(`no case for the model is named ${name}`);
}

function parsed<Values>(parse: () => Values): Values {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function list(name: string, text: string): string[] {
  if (text === '') throw new UsageError(`--${name} is empty`);
  return text.split(',');
}

function numbers(name: string, text: string | undefined, most?: number): number[] {
  return text === undefined ? [] : list(name, text).map((item) => whole(name, item, most));
}

function whole(name: string, text: string, most = MOST): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0 && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} must be a whole number from 1 to ${most}, not ${text}`);
}

function positive(name: string, text: string): number {
  const value = part(name, text);
  if (value > 0) return value;
  throw new UsageError(`--${name} must be above 0, not ${text}`);
}

/** part parses a number from 0 to below `limit`. */
function part(name: string, text: string, limit = Infinity): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (value >= 0 && value < limit) return value;
  const range = limit === Infinity ? '0 or above' : `from 0 to below ${limit}`;
  throw new UsageError(`--${name} must be a number, ${range}, not ${text}`);
}

/** pair parses two whole numbers like 4x200. */
function pair(
  name: string,
  text: string | undefined,
  example: string,
): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const [first = 0, second = 0] =
    /^([1-9]\d{0,5})x([1-9]\d{0,5})$/.exec(text)?.slice(1).map(Number) ?? [];
  if (first > 0) return [first, second];
  throw new UsageError(`--${name} must be like ${example}, not ${text}`);
}
