/** The file of the costs: those of each case, and the machine that they were measured on. Throws an error for a wrong one. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Costs, ThreadCost } from './costs.js';
import { PARTS, type Part } from './sample.js';

export interface CostsFile {
  /** The machine, for the reader of a prediction. */
  readonly machine: string;
  readonly cases: Readonly<Record<string, Costs>>;
}

/** readCosts reads the machine, and the costs of a case. */
export function readCosts(
  file: string,
  name: string,
): { readonly machine: string; readonly costs: Costs } {
  const root = object(file, readJson(file));
  const cases = object(`${file}: cases`, root['cases']);
  if (!Object.hasOwn(cases, name)) {
    throw new Error(`${file} has no costs of ${name}, but of ${Object.keys(cases).join(', ')}`);
  }
  const place = `${file}: cases.${name}`;
  const costs = object(place, cases[name]);
  const parts = PARTS.map((part): [Part, ThreadCost] => {
    const cost = object(`${place}.${part}`, costs[part]);
    const time = (key: string): number => number(`${place}.${part}.${key}`, cost[key]);
    return [part, { wake: time('wake'), item: time('item') }];
  });
  const figure = (key: string): number => number(`${place}.${key}`, costs[key]);
  return {
    machine: typeof root['machine'] === 'string' ? root['machine'] : 'an unknown machine',
    costs: {
      ...(Object.fromEntries(parts) as Record<Part, ThreadCost>),
      wakeUp: figure('wakeUp'),
      variation: figure('variation'),
      pause: figure('pause'),
    },
  };
}

/** writeCosts writes a file; times are rounded to hundredths of a microsecond. */
export function writeCosts(file: string, content: CostsFile): void {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  writeFileSync(file, `${JSON.stringify(content, rounded, 2)}\n`);
}

/** readJson reads a file. */
export function readJson(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function object(place: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new Error(`${place} is not an object`);
}

function number(place: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${place} must be a number, 0 or above, not ${JSON.stringify(value)}`);
}
