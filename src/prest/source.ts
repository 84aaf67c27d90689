/**
 * Where the configuration of pREST 2.4.2 comes from: a prest.toml and the variables PREST_*, which win over the file. Names
 * in the file count in any case, and an empty variable as not set. Refuses a file that cannot be read, with which pREST
 * would go on without it.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Issues } from '../config/kind.js';
import { readToml, type Table } from '../config/toml.js';
import { isTable } from './reader.js';

/** Environment are variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Given is what pREST is told for a key. */
export interface Given {
  readonly written: unknown;
  /** The key as it stands in the file, or the variable. */
  readonly at: string;
  readonly inFile: boolean;
}

/** PrestSource finds what is given for keys, in lower case. */
export class PrestSource {
  /** The file that was read, absolute; undefined when there is none. */
  readonly file: string | undefined;
  /** Folder that relative paths start from. */
  readonly base: string;
  readonly env: Environment;
  readonly #written = new Map<string, Given>();

  constructor(file: string | undefined, base: string, document: Table, env: Environment) {
    this.file = file;
    this.base = base;
    this.env = env;
    this.#walk(document, '');
  }

  /** keys are those of the file. */
  get keys(): readonly string[] {
    return [...this.#written.keys()];
  }

  /** inFile gives what the file says, whatever variable there is. */
  inFile(key: string): Given | undefined {
    return this.#written.get(key);
  }

  /** get gives what counts. */
  get(key: string): Given | undefined {
    const variable = variableOf(key);
    const text = variableIn(this.env, variable);
    if (text !== undefined) return { written: text, at: variable, inFile: false };
    return this.#written.get(key);
  }

  #walk(table: Table, prefix: string): void {
    for (const [name, value] of Object.entries(table)) {
      const at = `${prefix}${name}`;
      const key = at.toLowerCase();
      // One table in the place of a list of them is taken for a list of one.
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

/** variableIn gives a variable, undefined for an empty one. */
export function variableIn(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** variableOf is the variable that pREST reads for a key. */
export function variableOf(key: string): string {
  return `PREST_${key.replaceAll('.', '_').toUpperCase()}`;
}

/** sourceFile is the prest.toml that is read when it is there: `from`, otherwise PREST_CONF, otherwise ./prest.toml. */
export function sourceFile(from: string | undefined, env: Environment, cwd: string): string {
  return resolve(cwd, from ?? variableIn(env, 'PREST_CONF') ?? 'prest.toml');
}

/**
 * openSource reads `from`, otherwise PREST_CONF, otherwise ./prest.toml when it is there. Relative paths start where pREST
 * is started, in `cwd`; with `from` in the folder of that file. Undefined when there is nothing to read, and then `issues`
 * says why.
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
