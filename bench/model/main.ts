/**
 * npm run model: predicts rate and latency of the service by simulation, measures the costs for it, or compares it with
 * measurements. Exit status 1 when that fails, 2 for invalid usage.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release } from 'node:os';
import path from 'node:path';
import { UsageError } from '../options.js';
import { fromProject, keptFolder } from '../project.js';
import { calibrate, compare, type Comparison } from './compare.js';
import { readCosts, writeCosts } from './costs-file.js';
import type { Costs } from './costs.js';
import { takeMeasurements } from './measurements.js';
import { parseOptions, USAGE, type Measure, type Predict } from './options.js';
import { predict } from './predict.js';
import { comparisonTable, costsTable, errorLine, predictionTable } from './report.js';
import { readSamples, type Recorded } from './samples-file.js';

const DEFAULT_COSTS = fromProject('bench/model/costs.json');

function say(line: string): void {
  process.stderr.write(`[model] ${line}\n`);
}

function runPrediction(options: Predict): void {
  const { machine, costs } = readCosts(options.costs ?? DEFAULT_COSTS, options.case);
  if (options.disturbance > 0 && costs.pause === 0)
    throw new UsageError(
      '--disturbance needs costs with a pause, as from a machine that was disturbed',
    );
  const lines = predict(options, costs);
  if (options.json) console.log(JSON.stringify({ machine, options, costs, lines }, undefined, 1));
  else {
    console.log(`${options.case}, with the costs of ${machine}\n\n${predictionTable(lines)}`);
  }
}

async function runMeasurement(options: Measure): Promise<void> {
  const recorded =
    options.samples === undefined ? await record(options) : readSamples(options.samples);
  const names = [...new Set(recorded.samples.map((sample) => sample.case))];
  const cases: Record<string, Costs> = {};
  const comparisons: Comparison[] = [];
  for (const name of names) {
    const samples = recorded.samples.filter((sample) => sample.case === name);
    say(`calculating the costs of ${name}`);
    const costs = calibrate(samples, recorded);
    cases[name] = costs;
    if (options.command === 'check') comparisons.push(...compare(samples, costs, recorded));
  }
  const { machine } = recorded;
  if (options.output !== undefined) writeCosts(options.output, { machine, cases });
  if (options.json) console.log(JSON.stringify({ machine, cases, comparisons }, undefined, 1));
  else {
    console.log(machine);
    for (const name of names) console.log(`\n${name}\n${costsTable(cases[name]!)}`);
    if (comparisons.length > 0) console.log(`\n${comparisonTable(comparisons)}`);
    const errors = errorLine(comparisons);
    if (errors !== undefined) console.log(errors);
  }
}

/** record measures, and keeps the samples in a file. */
async function record(options: Measure): Promise<Recorded> {
  const samples = await takeMeasurements(options, say);
  const processors = cpus();
  const recorded: Recorded = {
    machine: `${processors.length} × ${processors[0]?.model ?? 'unknown CPU'}, Linux ${release()}, Node ${process.version}`,
    cores: availableParallelism(),
    pool: options.pool,
    samples,
  };
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = path.join(keptFolder(), `${stamp}-model.json`);
  writeFileSync(file, JSON.stringify(recorded, undefined, 1));
  say(`all samples: ${file}`);
  return recorded;
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) console.log(USAGE);
  else if (options.command === 'predict') runPrediction(options);
  else await runMeasurement(options);
} catch (error) {
  const wrong = error instanceof UsageError;
  process.exitCode = wrong ? 2 : 1;
  say(wrong ? `${error.message}\n${USAGE}` : (error as Error).message);
}
