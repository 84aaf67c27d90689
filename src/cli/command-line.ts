/**
 * The command line taken apart: a command, where the configuration is, and keys set by flags (`--http.port 8080`).
 * Refuses commands and flags it does not know, naming the nearest one.
 */
import { parseArgs } from 'node:util';
import { nearest } from '../config/nearest.js';
import { BY_SPELLING } from '../config/schema.js';

/** COMMANDS are what can be asked for. */
export const COMMANDS = ['serve', 'check'] as const;

/** Command is one of COMMANDS, or what `--help` and `--version` ask for. */
export type Command = (typeof COMMANDS)[number] | 'help' | 'version';

/** CommandLine is a command line that makes sense. */
export interface CommandLine {
  readonly command: Command;
  /** Value of `--config`. */
  readonly file: string | undefined;
  /** Keys set by flags, as written. */
  readonly flags: Readonly<Record<string, string>>;
  /** Whether `check` answers in JSON. */
  readonly json: boolean;
}

/** UsageError is a command line that makes no sense; its message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const SWITCHES = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  json: { type: 'boolean' },
} as const;

/** parseCommandLine takes arguments apart; throws UsageError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const valued = ['config', ...BY_SPELLING.keys()];
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...SWITCHES,
      ...Object.fromEntries(valued.map((name) => [name, { type: 'string' as const }])),
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const switches = new Set<string>();
  const values = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (Object.hasOwn(SWITCHES, name)) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
      switches.add(name);
    } else if (valued.includes(name)) {
      if (value === undefined) throw new UsageError(`${rawName} needs a value`);
      if (values.has(name)) throw new UsageError(`${rawName} is given twice`);
      values.set(name, value);
    } else {
      const close = nearest(name, [...Object.keys(SWITCHES), ...valued]);
      throw new UsageError(`unknown flag ${rawName}; the nearest is --${close}`);
    }
  }
  const command = commandOf(words, switches);
  if (switches.has('json') && command === 'serve')
    throw new UsageError('--json belongs to check, not to serve');
  const file = values.get('config');
  if (file === '') throw new UsageError('--config needs a value');
  values.delete('config');
  return { command, file, flags: Object.fromEntries(values), json: switches.has('json') };
}

function commandOf(words: readonly string[], switches: ReadonlySet<string>): Command {
  if (switches.has('help')) return 'help';
  if (switches.has('version')) return 'version';
  const [word, ...rest] = words;
  if (word === undefined) throw new UsageError(`a command is missing: ${COMMANDS.join(' or ')}`);
  const command = COMMANDS.find((name) => name === word);
  if (command === undefined)
    throw new UsageError(`unknown command ${word}; the nearest is ${nearest(word, COMMANDS)}`);
  if (rest.length > 0) throw new UsageError(`${command} takes flags only, not ${rest[0]!}`);
  return command;
}
