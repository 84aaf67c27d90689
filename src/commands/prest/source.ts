/**
 * The configuration of pREST 2.4.2: a prest.toml, and the variables PREST_*, which take precedence over the file. Names in
 * the file are case-insensitive, and an empty variable counts as not set. A file that cannot be read is an error; pREST
 * would ignore it.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Issues } from '../config/kind.js';
import { readToml, type TomlTable } from '../config/toml.js';
import { isTable } from './reader.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a key in pREST's configuration, as written. */
export interface GivenValue {
  readonly written: unknown;
  /** The key as written in the file, or the variable. */
  readonly at: string;
  readonly inFile: boolean;
}

/** PrestSource finds values by key, in lower case. */
export class PrestSource {
  /** Absolute path of the file; undefined without one. */
  readonly file: string | undefined;
  /** Base of relative paths. */
  readonly base: string;
  readonly env: Environment;
  readonly #written = new Map<string, GivenValue>();

  constructor(file: string | undefined, base: string, document: TomlTable, env: Environment) {
    this.file = file;
    this.base = base;
    this.env = env;
    this.#walk(document, '');
  }

  get keys(): readonly string[] {
    return [...this.#written.keys()];
  }

  /** inFile returns the value in the file, even if a variable overrides it. */
  inFile(key: string): GivenValue | undefined {
    return this.#written.get(key);
  }

  /** get returns the effective value. */
  get(key: string): GivenValue | undefined {
    const variable = prestVariable(key);
    const text = variableIn(this.env, variable);
    if (text !== undefined) return { written: text, at: variable, inFile: false };
    return this.#written.get(key);
  }

  #walk(table: TomlTable, prefix: string): void {
    for (const [name, value] of Object.entries(table)) {
      const at = `${prefix}${name}`;
      const key = at.toLowerCase();
      // A single table instead of a list counts as a list of one.
      const single = isTable(value) && LISTS.has(key);
      if (isTable(value) && !single) this.#walk(value, `${at}.`);
      else this.#written.set(key, { written: single ? [value] : value, at, inFile: true });
    }
  }
}

/** Keys whose values are lists of tables. */
const LISTS: ReadonlySet<string> = new Set([
  'databases',
  'access.tables',
  'access.users',
  'queries.scripts',
  'queries.users',
  'pluginmiddlewarelist',
  'cache.endpoints',
]);

/** variableIn returns the value of a variable, undefined for an empty one. */
export function variableIn(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** prestVariable is pREST's variable for a key. */
export function prestVariable(key: string): string {
  return `PREST_${key.replaceAll('.', '_').toUpperCase()}`;
}

/** sourceFile is the path of the prest.toml: `from`, otherwise PREST_CONF, otherwise ./prest.toml. */
export function sourceFile(from: string | undefined, env: Environment, cwd: string): string {
  return resolve(cwd, from ?? variableIn(env, 'PREST_CONF') ?? 'prest.toml');
}

/**
 * openSource reads `from`, otherwise PREST_CONF, otherwise ./prest.toml if it exists. Relative paths are relative to the
 * folder of `from`, otherwise to `cwd`, where pREST is started. It returns undefined, and adds an error to `issues`, when
 * there is nothing to read.
 */
export function openSource(
  from: string | undefined,
  env: Environment,
  cwd: string,
  issues: Issues,
): PrestSource | undefined {
  const named = from ?? variableIn(env, 'PREST_CONF');
  const file = sourceFile(from, env, cwd);
  if (named === undefined && !existsSync(file)) {
    if (Object.keys(env).some((name) => name.startsWith('PREST_')))
      return new PrestSource(undefined, cwd, {}, env);
    issues.errors.push(
      'there is no prest.toml here and no variable PREST_*; --from names the file',
    );
    return undefined;
  }
  const document = readToml(file, issues);
  if (document === undefined) return undefined;
  return new PrestSource(file, from === undefined ? cwd : dirname(file), document, env);
}
