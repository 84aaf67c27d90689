/**
 * Parses the command line: a command with its operand, its flags, and configuration keys (`--http.port 8080`). Unknown
 * commands and flags are errors that name the nearest known one.
 */
import { parseArgs } from 'node:util';
import { BY_SPELLING } from '../config/schema.js';
import { nearest, similar } from '../../base/nearest.js';
import { COMMAND_LIST, commandOf, type Command, type CommandName } from './commands.js';
import { COMMON_FLAGS, flagOf, FLAGS, type FlagName } from './flags.js';

/** Flags that only some commands accept. */
const OWN_FLAGS = (Object.keys(FLAGS) as FlagName[]).filter((name) => !(name in COMMON_FLAGS));

export interface CommandLine {
  readonly command: CommandName;
  /** Empty when the command has none; of `help` the words of a command, or the first of them. */
  readonly operand: string;
  /** The second operand, or an empty text. */
  readonly second: string;
  /** Value of `--config`. */
  readonly file: string | undefined;
  /** Values of configuration keys, as written. */
  readonly flags: Readonly<Record<string, string>>;
  readonly json: boolean;
  readonly yes: boolean;
  readonly name: string | undefined;
  readonly metadata: string | undefined;
  readonly from: string | undefined;
  readonly tables: 'adopt' | 'copy';
  /** An alias. */
  readonly database: string | undefined;
  readonly policy: 'skip' | 'update' | 'error' | undefined;
  readonly dryRun: boolean;
  /** Whether `check` proves: not at all, as far as that takes little time, or every combination. */
  readonly prove: 'off' | 'usual' | 'full';
  /** Whether `check` finds missing privileges. */
  readonly privileges: boolean;
  /** The only script that it is about. */
  readonly script: string | undefined;
  /** The database that `check` proves the scripts on: a URL, or a variable that has it. */
  readonly against: string | undefined;
  readonly out: string | undefined;
  /** Whether breaking changes are an error. */
  readonly breaking: boolean;
  /** Whether `top` shows one interval only. */
  readonly once: boolean;
  /** URL of the metrics that `top` shows; by default as configured. */
  readonly url: string | undefined;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** parseCommandLine parses arguments. Throws UsageError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { words, switches, values } = split(args);
  const line = commandIn(words, switches);
  const { command } = line;
  if (command !== 'help' && command !== 'version') checkFlags(command, switches, values);
  const take = (flag: FlagName): string | undefined => {
    const value = values.get(flag);
    values.delete(flag);
    const { words: allowed } = flagOf(flag);
    if (allowed !== undefined && value !== undefined && !allowed.includes(value))
      throw new UsageError(`--${flag} takes ${alternatives(allowed)}${meant(value, allowed)}`);
    return value;
  };
  const flag = (name: FlagName): string | undefined => {
    const value = take(name);
    if (value === '') throw new UsageError(`--${name} needs a value`);
    return value;
  };
  const isOff = switches.has('no-prove');
  const full = take('prove') as 'full' | undefined;
  const against = flag('against');
  if (isOff && full !== undefined)
    throw new UsageError('--no-prove and --prove exclude each other');
  if (isOff && against !== undefined)
    throw new UsageError('--no-prove and --against exclude each other');
  const from = flag('from');
  if (from !== undefined && full !== undefined)
    throw new UsageError('--from and --prove exclude each other');
  const privileges = switches.has('privileges');
  if (isOff && privileges) throw new UsageError('--no-prove and --privileges exclude each other');
  return {
    ...line,
    file: flag('config'),
    name: take('name'),
    metadata: take('metadata'),
    from,
    tables: (take('tables') ?? 'adopt') as CommandLine['tables'],
    database: take('database'),
    policy: take('policy') as CommandLine['policy'],
    script: flag('script'),
    out: flag('out'),
    against,
    prove: isOff ? 'off' : (full ?? 'usual'),
    privileges,
    json: switches.has('json'),
    yes: switches.has('yes'),
    dryRun: switches.has('dry-run'),
    breaking: switches.has('breaking'),
    once: switches.has('once'),
    url: flag('url'),
    // All others are configuration keys.
    flags: Object.fromEntries(values),
  };
}

interface Parts {
  readonly words: readonly string[];
  readonly switches: ReadonlySet<string>;
  readonly values: Map<string, string>;
}

/** Splits arguments into words, flags without a value, and flags and keys with one. */
function split(args: readonly string[]): Parts {
  const names = Object.keys(FLAGS) as FlagName[];
  const takesValue = (name: FlagName): boolean => flagOf(name).value !== undefined;
  const valued = new Set<string>([...names.filter(takesValue), ...BY_SPELLING.keys()]);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([...valued].map((name) => [name, { type: 'string' as const }])),
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
    const { rawName, value } = token;
    const name = rawName.startsWith('--') ? token.name : byLetter(token.name);
    if (name === undefined || (!valued.has(name) && !Object.hasOwn(FLAGS, name))) {
      const close = nearest(token.name, [...names, ...BY_SPELLING.keys()]);
      throw new UsageError(`unknown flag ${rawName}; the nearest is --${close}`);
    }
    if (!valued.has(name)) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
      switches.add(name);
      continue;
    }
    if (value === undefined) throw new UsageError(`${rawName} needs a value`);
    if (values.has(name)) throw new UsageError(`${rawName} is given twice`);
    values.set(name, value);
  }
  return { words, switches, values };
}

function byLetter(letter: string): string | undefined {
  return (Object.keys(FLAGS) as FlagName[]).find((name) => flagOf(name).letters?.includes(letter));
}

/** Throws UsageError when a command does not take a flag, or no configuration keys. */
function checkFlags(
  command: CommandName,
  switches: ReadonlySet<string>,
  values: ReadonlyMap<string, string>,
): void {
  for (const flag of OWN_FLAGS)
    if ((switches.has(flag) || values.has(flag)) && !takes(commandOf(command), flag))
      throw new UsageError(`--${flag} belongs to ${ownersOf(flag)}, not to ${command}`);
  if (commandOf(command).keys !== false) return;
  const key = [...values.keys()].find((name) => BY_SPELLING.has(name));
  if (key !== undefined)
    throw new UsageError(`--${key} is no flag of ${command}, which takes no keys`);
}

type Called = Pick<CommandLine, 'command' | 'operand' | 'second'>;

function commandIn(words: readonly string[], switches: ReadonlySet<string>): Called {
  const [first, ...others] = words;
  if (switches.has('help')) return topic(first === 'help' ? others : words);
  if (switches.has('version')) return { command: 'version', operand: '', second: '' };
  if (first === 'help') return topic(others);
  const { prefix, found, next } = walk(words);
  if (found !== undefined) return { command: found, ...operandsOf(commandOf(found), words) };
  throw new UsageError(
    prefix === ''
      ? `a command is missing: ${next.join(', ')}`
      : `${prefix} needs a word more: ${next.join(' or ')}`,
  );
}

/** The command whose help is wanted, or the words that several have in common. */
function topic(words: readonly string[]): Called {
  const { prefix } = walk(words);
  return { command: 'help', operand: prefix, second: '' };
}

/**
 * Follows words to a command. `prefix` are the words up to there; while these are not a command, `next` are those that
 * may follow. Throws UsageError with the first wrong word.
 */
function walk(words: readonly string[]): {
  readonly prefix: string;
  readonly found: CommandName | undefined;
  readonly next: readonly string[];
} {
  let commands = COMMAND_LIST;
  for (let i = 0; ; i++) {
    const prefix = words.slice(0, i).join(' ');
    const found = commands.find(([, one]) => one.words.length === i)?.[0];
    const next = [...new Set(commands.flatMap(([, one]) => one.words[i] ?? []))];
    const word = words[i];
    // `contract diff` is another command than `contract`.
    if (word === undefined || (found !== undefined && !next.includes(word)))
      return { prefix, found, next };
    if (!next.includes(word)) {
      const close = nearest(word, next);
      throw new UsageError(
        `unknown command ${`${prefix} ${word}`.trim()}; the nearest is ${`${prefix} ${close}`.trim()}`,
      );
    }
    commands = commands.filter(([, one]) => one.words[i] === word);
  }
}

function operandsOf(
  command: Command,
  words: readonly string[],
): { readonly operand: string; readonly second: string } {
  const name = command.words.join(' ');
  const operands = words.slice(command.words.length);
  const [operand, second = ''] = operands;
  const names = [command.operand, command.second].filter((one) => one !== undefined);
  const surplus = operands[names.length];
  if (surplus !== undefined)
    throw new UsageError(
      `${name} takes ${names.length === 0 ? 'flags' : `one ${names.join(', one ')} and flags`} only, not ${surplus}`,
    );
  const optional = command.optional === true;
  if (command.operand !== undefined && (operand === '' || (operand === undefined && !optional)))
    throw new UsageError(
      `${name} needs ${/^[AEIO]/.test(command.operand) ? 'an' : 'a'} ${command.operand}`,
    );
  const { choices } = command;
  if (choices !== undefined && operand !== undefined && !choices.includes(operand))
    throw new UsageError(`${name} takes ${alternatives(choices)}${meant(operand, choices)}`);
  return { operand: operand ?? '', second };
}

function alternatives(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`;
}

/** What was probably meant; nothing when no word is similar. */
function meant(word: string, words: readonly string[]): string {
  const close = similar(word, words);
  return close === undefined ? '' : `; you probably mean ${close}`;
}

function takes({ flags = {} }: Command, flag: FlagName): boolean {
  return flag in flags;
}

function ownersOf(flag: FlagName): string {
  return COMMAND_LIST.filter(([, command]) => takes(command, flag))
    .map(([name]) => name)
    .join(' and ');
}
