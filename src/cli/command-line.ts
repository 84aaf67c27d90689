/**
 * Parses the command line: a command with its operand, its flags, and configuration keys (`--http.port 8080`). Unknown
 * commands and flags are errors that name the nearest known one.
 */
import { parseArgs } from 'node:util';
import { nearest } from '../nearest.js';
import { BY_SPELLING } from '../config/schema.js';

/** The syntax of a command. */
interface Form {
  readonly words: readonly string[];
  /** Name of its operand in the help. */
  readonly operand?: string;
  /** Whether the operand is optional. */
  readonly optional?: boolean;
  /** Name of a second operand, which is optional. */
  readonly second?: string;
  /** Its own flags, which only some commands have. */
  readonly flags?: readonly (keyof typeof SWITCHES | keyof typeof VALUED)[];
  /** false: it does not accept configuration keys. */
  readonly keys?: boolean;
}

const SWITCHES = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
  json: { type: 'boolean' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'no-prove': { type: 'boolean' },
  breaking: { type: 'boolean' },
} as const;

/** Flags with a value, other than configuration keys. */
const VALUED = {
  config: { type: 'string' },
  name: { type: 'string' },
  metadata: { type: 'string' },
  from: { type: 'string' },
  tables: { type: 'string' },
  database: { type: 'string' },
  policy: { type: 'string' },
  prove: { type: 'string' },
  script: { type: 'string' },
  against: { type: 'string' },
  out: { type: 'string' },
} as const;

const FORMS = {
  serve: { words: ['serve'] },
  check: { words: ['check'], flags: ['against', 'json', 'no-prove', 'prove', 'script'] },
  contract: { words: ['contract'], flags: ['out', 'prove', 'script'] },
  'contract diff': {
    words: ['contract', 'diff'],
    operand: 'OLD',
    second: 'NEW',
    flags: ['breaking', 'json', 'prove', 'script'],
  },
  'client typescript': { words: ['client', 'typescript'], flags: ['from', 'out', 'prove'] },
  'migrate up auth': { words: ['migrate', 'up', 'auth'] },
  'migrate down auth': { words: ['migrate', 'down', 'auth'], flags: ['yes'] },
  'migrate from-prest': {
    words: ['migrate', 'from-prest'],
    flags: ['from', 'tables', 'dry-run', 'yes', 'json'],
    keys: false,
  },
  'migrate up queries': { words: ['migrate', 'up', 'queries'] },
  'migrate down queries': { words: ['migrate', 'down', 'queries'], flags: ['yes'] },
  'scripts export': {
    words: ['scripts', 'export'],
    operand: 'FOLDER',
    optional: true,
    flags: ['database', 'dry-run', 'yes'],
  },
  'scripts import': {
    words: ['scripts', 'import'],
    operand: 'FOLDER',
    optional: true,
    flags: ['database', 'dry-run', 'json', 'policy'],
  },
  'scripts diff': {
    words: ['scripts', 'diff'],
    operand: 'FOLDER',
    optional: true,
    flags: ['database', 'json'],
  },
  'plugin header': { words: ['plugin', 'header'], keys: false },
  'plugin new c': { words: ['plugin', 'new', 'c'], operand: 'NAME', keys: false },
  'plugin new cpp': { words: ['plugin', 'new', 'cpp'], operand: 'NAME', keys: false },
  'plugin new go': { words: ['plugin', 'new', 'go'], operand: 'NAME', keys: false },
  'plugin new rust': { words: ['plugin', 'new', 'rust'], operand: 'NAME', keys: false },
  'plugin check': {
    words: ['plugin', 'check'],
    operand: 'FILE',
    flags: ['json'],
    keys: false,
  },
  'user add': { words: ['user', 'add'], operand: 'NAME', flags: ['name', 'metadata'] },
  'user passwd': { words: ['user', 'passwd'], operand: 'NAME' },
  'user list': { words: ['user', 'list'], flags: ['json'] },
  'user remove': { words: ['user', 'remove'], operand: 'NAME' },
} as const satisfies Record<string, Form>;

/** Flags that only some commands accept. */
const OWN_FLAGS = [
  'json',
  'yes',
  'name',
  'metadata',
  'from',
  'tables',
  'database',
  'policy',
  'dry-run',
  'no-prove',
  'prove',
  'script',
  'against',
  'out',
  'breaking',
] as const;

export type Command = keyof typeof FORMS | 'help' | 'version';

/** A valid command line. */
export interface CommandLine {
  readonly command: Command;
  /** Empty when the command has none. */
  readonly operand: string;
  /** The second operand; empty when there is none. */
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
  /** The only script that it is about. */
  readonly script: string | undefined;
  /** The database that `check` proves the scripts on: a URL, or a variable that has it. */
  readonly against: string | undefined;
  /** The file that is written. */
  readonly out: string | undefined;
  /** Whether breaking changes are an error. */
  readonly breaking: boolean;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** parseCommandLine parses arguments. Throws UsageError. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const valued = [...Object.keys(VALUED), ...BY_SPELLING.keys()];
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
  const { command, operand, second } = commandOf(words, switches);
  if (command !== 'help' && command !== 'version')
    for (const flag of OWN_FLAGS)
      if ((switches.has(flag) || values.has(flag)) && !takes(command, flag))
        throw new UsageError(`--${flag} belongs to ${ownersOf(flag)}, not to ${command}`);
  const [
    file,
    name,
    metadata,
    from,
    tables = 'adopt',
    database,
    policy,
    full,
    script,
    against,
    out,
  ] = Object.keys(VALUED).map((flag) => {
    const value = values.get(flag);
    values.delete(flag);
    return value;
  });
  for (const [flag, value] of Object.entries({ config: file, from, script, against, out }))
    if (value === '') throw new UsageError(`--${flag} needs a value`);
  if (tables !== 'adopt' && tables !== 'copy') throw new UsageError('--tables takes adopt or copy');
  if (policy !== undefined && policy !== 'skip' && policy !== 'update' && policy !== 'error')
    throw new UsageError('--policy takes skip, update or error');
  if (full !== undefined && full !== 'full') throw new UsageError('--prove takes full');
  const isOff = switches.has('no-prove');
  if (isOff && full !== undefined)
    throw new UsageError('--no-prove and --prove exclude each other');
  if (isOff && against !== undefined)
    throw new UsageError('--no-prove and --against exclude each other');
  if (from !== undefined && full !== undefined)
    throw new UsageError('--from and --prove exclude each other');
  const prove = isOff ? 'off' : (full ?? 'usual');
  const flags = Object.fromEntries(values);
  const [key] = values.keys();
  if (key !== undefined && command in FORMS && takesNoKeys(command as keyof typeof FORMS))
    throw new UsageError(`--${key} is no flag of ${command}, which takes no keys`);
  const [json, yes] = [switches.has('json'), switches.has('yes')];
  const dryRun = switches.has('dry-run');
  return {
    command,
    operand,
    second,
    file,
    flags,
    json,
    yes,
    name,
    metadata,
    from,
    tables,
    database,
    policy,
    dryRun,
    prove,
    script,
    against,
    out,
    breaking: switches.has('breaking'),
  };
}

function commandOf(
  words: readonly string[],
  switches: ReadonlySet<string>,
): { command: Command; operand: string; second: string } {
  if (switches.has('help')) return { command: 'help', operand: '', second: '' };
  if (switches.has('version')) return { command: 'version', operand: '', second: '' };
  let forms: [name: keyof typeof FORMS, form: Form][] = Object.entries(FORMS) as typeof forms;
  // Word by word, so that the error names the first wrong one.
  for (let i = 0; ; i++) {
    const prefix = words.slice(0, i).join(' ');
    const whole = forms.find(([, form]) => form.words.length === i);
    const next = [...new Set(forms.flatMap(([, form]) => form.words[i] ?? []))];
    const word = words[i];
    // `contract diff` is another command than `contract`.
    if (whole !== undefined && (word === undefined || !next.includes(word)))
      return { command: whole[0], ...operandsOf(whole, words) };
    if (word === undefined)
      throw new UsageError(
        i === 0
          ? `a command is missing: ${next.join(', ')}`
          : `${prefix} needs a word more: ${next.join(' or ')}`,
      );
    if (!next.includes(word))
      throw new UsageError(
        `unknown command ${`${prefix} ${word}`.trim()}; the nearest is ${`${prefix} ${nearest(word, next)}`.trim()}`,
      );
    forms = forms.filter(([, form]) => form.words[i] === word);
  }
}

function operandsOf(
  [command, form]: [string, Form],
  words: readonly string[],
): { operand: string; second: string } {
  const operands = words.slice(form.words.length);
  const [operand, second = ''] = operands;
  const names = [form.operand, form.second].filter((name) => name !== undefined);
  const surplus = operands[names.length];
  if (surplus !== undefined)
    throw new UsageError(
      `${command} takes ${names.length === 0 ? 'flags' : `one ${names.join(', one ')} and flags`} only, not ${surplus}`,
    );
  if (form.operand !== undefined && (operand === '' || (operand === undefined && !form.optional)))
    throw new UsageError(
      `${command} needs ${/^[AEIO]/.test(form.operand) ? 'an' : 'a'} ${form.operand}`,
    );
  return { operand: operand ?? '', second };
}

function takes(command: keyof typeof FORMS, flag: (typeof OWN_FLAGS)[number]): boolean {
  const { flags = [] } = FORMS[command] as Form;
  return flags.includes(flag);
}

function takesNoKeys(command: keyof typeof FORMS): boolean {
  return (FORMS[command] as Form).keys === false;
}

function ownersOf(flag: (typeof OWN_FLAGS)[number]): string {
  const names = Object.keys(FORMS) as (keyof typeof FORMS)[];
  return names.filter((command) => takes(command, flag)).join(' and ');
}
