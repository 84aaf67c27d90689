/**
 * npm run test:fuzz: runs the fuzz targets and prints a line for each: cases, seconds, seed, distinct outcomes. Stops a
 * target at its first failure, and prints the input and the command that runs it again. Ends with status 1 when a target
 * failed, with 2 for a bad option.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { describeFailure, fuzz } from './run.js';
import { fuzzSockets } from './sockets.js';
import type { Target } from './target.js';
import { targets } from './targets.js';

const USAGE = `Usage: npm run test:fuzz -- [options]
  --only NAME      the target of this name, or those with it in their names; may be given more than once
  --cases 1000000  cases of each target; over sockets a fiftieth of them
  --seed N         the cases of an earlier run
  --case N         this case alone
  --outcomes       how often there was each outcome
  --list           names of all targets`;

class UsageError extends Error {}

function optionsOf(args: string[]) {
  const string = { type: 'string' } as const;
  const boolean = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true },
        ...{ cases: string, seed: string, case: string },
        ...{ outcomes: boolean, list: boolean, help: boolean },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function whole(name: string, text: string): number {
  if (!/^\d{1,12}$/.test(text))
    throw new UsageError(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

function chosenOf(all: readonly Target[], only: readonly string[]): readonly Target[] {
  if (only.length === 0) return all;
  const named = all.filter(({ name }) => only.includes(name));
  return named.length > 0
    ? named
    : all.filter(({ name }) => only.some((part) => name.includes(part)));
}

async function main(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  const { only = [] } = options;
  const all = [...targets(), fuzzSockets() as Target];
  const chosen = chosenOf(all, only);
  if (options.help === true || options.list === true) {
    console.log(options.help === true ? USAGE : all.map(({ name }) => name).join('\n'));
    return 0;
  }
  if (chosen.length === 0) throw new UsageError(`no target has ${only.join(' or ')} in its name`);
  const seed = whole('seed', options.seed ?? String(randomInt(2 ** 31)));
  const cases = whole('cases', options.cases ?? '1000000');
  const from = options.case === undefined ? 0 : whole('case', options.case);
  let failed = 0;
  for (const target of chosen) {
    const began = performance.now();
    const count = options.case === undefined ? Math.ceil(cases / (target.cost ?? 1)) : 1;
    const { failure, slowest, outcomes, ...run } = await fuzz(target, seed, count, from);
    await target.close?.();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(
      `${target.name}: ${run.cases} cases, ${seconds} s, seed ${seed}, ${outcomes.size} outcomes, slowest case ${slowest.number} (${slowest.ms.toFixed(0)} ms)`,
    );
    if (options.outcomes === true)
      for (const [outcome, times] of [...outcomes].sort((a, b) => b[1] - a[1]))
        console.log(`  ${String(times).padStart(8)} ${outcome}`);
    if (failure === undefined) continue;
    failed++;
    console.log(describeFailure(failure));
  }
  console.log(`${chosen.length - failed} targets passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
