/**
 * Reads the sources of a configuration: file, environment, command line. Each becomes entries by key, with unchecked values.
 * Unknown names are reported with the nearest known one. No message contains a value.
 */
import { dirname } from 'node:path';
import { describe, type Issues } from './kind.js';
import { edits, nearest } from '../../base/nearest.js';
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

export interface Entry {
  readonly value: unknown;
  /** The key as written, for messages. */
  readonly at: string;
  /** Base of a relative path. */
  readonly base: string;
}

export type Entries = Map<KeyName, Entry>;

/** Variables that begin with SERVICE_ but do not set a key. */
const OTHER_VARIABLES = new Set(['SERVICE_CONF', 'SERVICE_MCP_URL', 'SERVICE_MCP_TOKEN']);

/** Number of edits within which an unknown key counts as a mistyped key of a secure section. */
const TYPO_EDITS = 2;

/** readFile reads a TOML file, or `text` as its content; keys of pREST without effect are added to `foreign`. */
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
      reportUnknown(
        key,
        spelling,
        [...BY_SPELLING.keys()],
        isSecure(spelling),
        issues,
        ` in ${file}`,
      );
    }
  });
  for (const [name, entry] of aliases) {
    if (entries.has(name)) issues.warnings.push(`${entry.at}: ignored, ${name} is set too`);
    else entries.set(name, entry);
  }
  return entries;
}

/** readEnvironment reads SERVICE_*, PORT and DATABASE_URL; an empty variable counts as not set. */
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
      else reportUnknown(variable, variable, [...variables.keys()], isSecure(key), issues);
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

/** reportUnknown reports an unknown name; as an error when it is secure, or resembles a key of a secure section. */
function reportUnknown(
  name: string,
  compared: string,
  known: readonly string[],
  secure: boolean,
  issues: Issues,
  where = '',
): void {
  const closest = nearest(compared, known);
  const key = closest
    .replace(/^SERVICE_/, '')
    .toLowerCase()
    .replaceAll('_', '.');
  const typo = isSecure(key) && edits(compared, closest) <= TYPO_EDITS;
  // Where the section is right, the nearest key in it is suggested.
  const section = /^(SERVICE_[^_]*_|[^.]*\.)?/.exec(compared)![0];
  const near = section === '' ? [] : known.filter((candidate) => candidate.startsWith(section));
  const suggestion = typo || near.length === 0 ? closest : nearest(compared, near);
  const message = `${name}: unknown key${where}; the nearest known one is ${suggestion}`;
  (secure || typo ? issues.errors : issues.warnings).push(message);
}

/** walk calls `visit` for every key whose value is not a section. */
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
