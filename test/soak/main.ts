/**
 * npm run test:soak: two services under load, edits, reloads and faults for 44 minutes. Prints a line a minute and the
 * result; writes plots and series. Ends with status 1 when memory grows by more than 1% in ten minutes, or a service has
 * ended; with 2 for a bad option.
 */
import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../../bench/random.js';
import { Cleanup } from '../faults/site.js';
import { CYCLE, Events } from './events.js';
import { LIMIT, summaryOf, trendsOf, writePlots, writeSummary, type Soak } from './report.js';
import { takeSample, totalOf, type Sample } from './sampler.js';
import { startServices, type Services, type Soaked } from './services.js';
import { Traffic } from './traffic.js';

const USAGE = `Usage: npm run test:soak -- [options]
  --minutes 44  how long it lasts, 8 minutes longer than the warm-up at least
  --warm-up 16  minutes of it that are not judged, 16 at least
  --rate 240    requests a second to both services together
  --seed N      the choices of an earlier run
  --write       puts plots, series and figures into docs/`;

// From dist-test/test/soak to the project.
const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Milliseconds between two scrapes, and scrapes for each sample that is kept. A supervisor grows with its first 400 scrapes,
 * by compiled code, and only then keeps its size.
 */
const PAUSE = 1_000;
const KEPT = 5;

const CLIENTS = 8;

/** Minutes of four cycles: V8's heaps and the caches, of statements, scripts and tokens, reach the size they keep. */
const WARM_UP = 4 * CYCLE;

class UsageError extends Error {}

function optionsOf(args: string[]) {
  const string = { type: 'string' } as const;
  const boolean = { type: 'boolean' } as const;
  try {
    const numbers = { minutes: string, 'warm-up': string, rate: string, seed: string };
    return parseArgs({ args, options: { ...numbers, write: boolean, help: boolean } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function whole(name: string, text: string, least: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) < least)
    throw new UsageError(`--${name} must be a whole number from ${least} on, not ${text}`);
  return Number(text);
}

/** soak lets the services run for some minutes. */
async function soak(
  services: Services,
  minutes: number,
  warmUp: number,
  rate: number,
  seed: number,
): Promise<Soak> {
  const { files, table } = services;
  const loads = [files, table].map(
    (one, i) => new Traffic(one, new Random(seed + i), CLIENTS, rate / 2),
  );
  const events = new Events(services, new Random(seed + 2));
  const taken = new Map<Soaked, Sample[]>([
    [files, []],
    [table, []],
  ]);
  let missed = 0;
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1_000;
  for (let minute = 0, n = 1; seconds() < minutes * 60; n++) {
    await sleep(PAUSE - ((performance.now() - began) % PAUSE));
    for (const [one, samples] of taken) {
      // A scrape that fails is tried again with the next one.
      const sample = await takeSample(one, Math.round(seconds())).catch(() => undefined);
      if (sample === undefined) missed++;
      else if (n % KEPT === 0) samples.push(sample);
    }
    if (seconds() < 60 * (minute + 1)) continue;
    minute++;
    const memory = [files, table].map((one) => {
      const last = taken.get(one)!.at(-1);
      if (last === undefined) return `${one.name} has no metrics`;
      return `${one.name} ${Math.round(totalOf(last.memory) / 2 ** 20)} MiB, ${last.prepared} statements`;
    });
    const sent = loads.map(({ counted }) => `${counted.answered}/${counted.failed}`).join(' ');
    console.log(`${minute} min: ${memory.join('; ')}; answered/failed ${sent}`);
  }
  const ended = [files, table].filter(({ service }) => service.httpProcesses().length < 2);
  await events.stop();
  for (const load of loads) await load.stop();
  if (ended.length > 0) throw new Error('a service has ended');
  if (missed > 5 * KEPT) throw new Error(`${missed} scrapes failed`);
  const counts = loads.map(({ counted }) => counted);
  const failed = counts.reduce((sum, one) => sum + one.failed, 0);
  const [row] = await services.site.postgres.sql<{ server_version: string }>('SHOW server_version');
  return {
    machine: `${cpus().length} cores, Node ${process.version}, PostgreSQL ${row!.server_version.split(' ', 1)[0]!}.`,
    seed,
    seconds: Math.round(seconds()),
    warmUp: warmUp * 60,
    requests: failed + counts.reduce((sum, one) => sum + one.answered, 0),
    failed,
    edits: events.edits,
    events: events.noted,
    files: taken.get(files)!,
    table: taken.get(table)!,
  };
}

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options.help === true) {
    console.log(USAGE);
    return 0;
  }
  const warmUp = whole('warm-up', options['warm-up'] ?? String(WARM_UP), WARM_UP);
  const minutes = whole('minutes', options.minutes ?? '44', warmUp + 2 * CYCLE);
  const rate = whole('rate', options.rate ?? '240', 1);
  const seed = whole('seed', options.seed ?? String(randomInt(2 ** 31)), 0);
  console.log(`${minutes} minutes, ${warmUp} of them warm-up, ${rate} requests/s, seed ${seed}`);
  const cleanup = new Cleanup();
  let result: Soak;
  try {
    result = await soak(await startServices(cleanup), minutes, warmUp, rate, seed);
  } finally {
    await cleanup.run();
  }
  const folder = path.join(PROJECT, options.write === true ? 'docs/soak' : 'build/soak');
  writePlots(folder, result);
  if (options.write === true) writeSummary(path.join(PROJECT, 'docs/reliability.md'), result);
  console.log(`\n${summaryOf(result)}\n\nplots and series: ${folder}`);
  const grown = trendsOf(result).filter(({ trend }) => trend.growth > LIMIT);
  for (const { name } of grown) console.log(`memory grows: ${name}`);
  return grown.length === 0 ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
