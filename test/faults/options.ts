/** The command line of the campaign. Throws UsageError for what it does not know. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface Options {
  readonly seed: number;
  /** Parts of the names of the faults that are tried; all when empty. */
  readonly only: readonly string[];
  /** How often each fault is tried. */
  readonly rounds: number;
  /** Whether the table goes into docs/reliability.md. */
  readonly write: boolean;
}

export class UsageError extends Error {}

export const USAGE = `Usage: npm run test:faults -- [options]
  --only NAME   faults whose name has this in it; may be given more than once
  --rounds 3    how often each fault is tried
  --seed N      choices and timing of an earlier run
  --write       puts the table into docs/reliability.md
  --list        names of all faults`;

/** parseOptions reads the arguments; `help` or `list` when that is asked for. */
export function parseOptions(args: readonly string[]): Options | 'help' | 'list' {
  const string = { type: 'string' } as const;
  const boolean = { type: 'boolean' } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        ...{ rounds: string, seed: string, write: boolean, list: boolean, help: boolean },
      },
    });
    if (values.help === true) return 'help';
    if (values.list === true) return 'list';
    return {
      seed: whole('seed', values.seed ?? String(randomInt(2 ** 31))),
      only: values.only ?? [],
      rounds: whole('rounds', values.rounds ?? '3'),
      write: values.write === true,
    };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new UsageError(`--${name} must be a whole number above 0, not ${text}`);
  return Number(text);
}
