/**
 * Where configuration comes from: the file, the environment, the command line. Each is turned into entries by key, as
 * written and not yet checked; names that no key has are reported with the nearest known one. Values never appear in
 * what is reported.
 */
import { dirname } from 'node:path';
import { describe, type Issues } from './kind.js';
import { edits, nearest } from './nearest.js';
import {
  BY_SPELLING,
  isForeign,
  isSecure,
  KEYS,
  NAMES,
  SECTIONS,
  variableOf,
  type KeyName,
} from './schema.js';
import { parseToml, readToml } from './toml.js';

/** Entry is a value that a source gives to a key. */
export interface Entry {
  readonly value: unknown;
  /** The key as the user wrote it, for messages. */
  readonly at: string;
  /** Folder that a relative path starts from. */
  readonly base: string;
}

/** Entries are what one source sets. */
export type Entries = Map<KeyName, Entry>;

/** Variables that begin with SERVICE_ and are no overrides. */
const OTHER_VARIABLES = new Set(['SERVICE_CONF', 'SERVICE_MCP_URL', 'SERVICE_MCP_TOKEN']);

/** How many edits away from a key of a security section an unknown key counts as a slip of it. */
const SLIP = 2;

/**
 * readFile reads a TOML file into entries; `foreign` gets the keys that this service has no use for. A `text` stands for
 * what the file will hold.
 */
export function readFile(file: string, foreign: string[], issues: Issues, text?: string): Entries {
  const entries: Entries = new Map();
  const document = text === undefined ? readToml(file, issues) : parseToml(text, file, issues);
  if (document === undefined) return entries;
  const base = dirname(file);
  const aliases: [KeyName, Entry][] = [];
  walk(document, '', (key, value) => {
    const spelling = key.toLowerCase();
    const name = BY_SPELLING.get(spelling);
    if (name !== undefined) {
      const entry = { value, at: key, base };
      if (name !== spelling) aliases.push([name, entry]);
      else if (entries.has(name)) issues.errors.push(`${key}: written twice`);
      else entries.set(name, entry);
    } else if (isForeign(spelling)) {
      foreign.push(key);
    } else if (SECTIONS.has(spelling)) {
      issues.errors.push(`${key}: found ${describe(value)}; allowed: a table ([${key}])`);
    } else {
      unknown(key, spelling, [...BY_SPELLING.keys()], isSecure(spelling), issues);
    }
  });
  for (const [name, entry] of aliases) {
    if (entries.has(name)) issues.warnings.push(`${entry.at}: ignored, ${name} is set too`);
    else entries.set(name, entry);
  }
  return entries;
}

/** readEnvironment reads SERVICE_*, PORT and DATABASE_URL into entries (more databases are for database-entries.ts); an empty variable counts as not set. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  foreign: string[],
  issues: Issues,
): Entries {
  const entries: Entries = new Map();
  const variables = new Map(
    [...BY_SPELLING].map(([spelling, name]) => [variableOf(spelling), name]),
  );
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || text === '') continue;
    if (!variable.startsWith('SERVICE_') || OTHER_VARIABLES.has(variable)) continue;
    const name = variables.get(variable);
    if (name === undefined) {
      const key = variable.slice('SERVICE_'.length).toLowerCase().replaceAll('_', '.');
      if (isForeign(key)) foreign.push(variable);
      else unknown(variable, variable, [...variables.keys()], isSecure(key), issues);
    } else if (variable !== variableOf(name) && env[variableOf(name)]) {
      issues.warnings.push(`${variable}: ignored, ${variableOf(name)} is set too`);
    } else {
      setText(entries, name, text, `${variable} (${name})`, cwd, issues);
    }
  }
  for (const [variable, name] of [
    ['PORT', 'http.port'],
    ['DATABASE_URL', 'pg.url'],
  ] as const) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    if (entries.has(name))
      issues.warnings.push(`${variableOf(name)}: ignored, ${variable} is set too`);
    setText(entries, name, text, `${variable} (${name})`, cwd, issues);
  }
  return entries;
}

/** readFlags reads `--key value` pairs, given by key, into entries. */
export function readFlags(
  flags: Readonly<Record<string, string>>,
  cwd: string,
  issues: Issues,
): Entries {
  const entries: Entries = new Map();
  for (const [key, text] of Object.entries(flags)) {
    const name = BY_SPELLING.get(key);
    if (name === undefined)
      issues.errors.push(`--${key}: unknown; the nearest is --${nearest(key, NAMES)}`);
    else if (KEYS[name].secret)
      issues.errors.push(
        `--${key}: a secret is not taken from the command line, where other users can see it; set ${variableOf(name)}`,
      );
    else setText(entries, name, text, `--${key}`, cwd, issues);
  }
  return entries;
}

function setText(
  entries: Entries,
  name: KeyName,
  text: string,
  at: string,
  base: string,
  issues: Issues,
): void {
  const { kind } = KEYS[name];
  if (kind.name === 'tables') issues.errors.push(`${at}: can be set in the file only`);
  else entries.set(name, { value: kind.parse(text), at, base });
}

/** unknown reports a name that no key has. A slip of a key that guards something is an error wherever it stands. */
function unknown(
  name: string,
  compared: string,
  known: readonly string[],
  secure: boolean,
  issues: Issues,
): void {
  const closest = nearest(compared, known);
  const key = closest
    .replace(/^SERVICE_/, '')
    .toLowerCase()
    .replaceAll('_', '.');
  const slip = isSecure(key) && edits(compared, closest) <= SLIP;
  // Someone who got the section right is best helped within it.
  const section = /^(SERVICE_[^_]*_|[^.]*\.)?/.exec(compared)![0];
  const near = section === '' ? [] : known.filter((candidate) => candidate.startsWith(section));
  const suggestion = slip || near.length === 0 ? closest : nearest(compared, near);
  const message = `${name}: unknown key; the nearest known one is ${suggestion}`;
  (secure || slip ? issues.errors : issues.warnings).push(message);
}

/** walk calls `visit` for every key that is not a table to descend into. */
function walk(
  table: Readonly<Record<string, unknown>>,
  prefix: string,
  visit: (key: string, value: unknown) => void,
): void {
  for (const [name, value] of Object.entries(table)) {
    const key = `${prefix}${name}`;
    const spelling = key.toLowerCase();
    const isTable = describe(value) === 'a table';
    if (!isTable || BY_SPELLING.has(spelling)) visit(key, value);
    else if (Object.keys(value as object).length > 0)
      walk(value as Record<string, unknown>, `${key}.`, visit);
    else if (!SECTIONS.has(spelling)) visit(key, value);
  }
}
