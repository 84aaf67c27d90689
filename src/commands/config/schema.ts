/**
 * All configuration keys in one table, and what follows from it: the type of a configuration, the spellings of keys, the
 * names of environment variables, the sections. The documentation is generated from the same table.
 */
import type { Key } from './key.js';
import { DATABASE_KEYS } from './keys-database.js';
import { MCP_KEYS } from './keys-mcp.js';
import { METRICS_KEYS, TRACE_KEYS } from './keys-observe.js';
import { SECURE_SECTIONS, SECURITY_KEYS } from './keys-security.js';
import { SERVICE_KEYS } from './keys-service.js';

const TABLE = {
  ...SERVICE_KEYS,
  ...DATABASE_KEYS,
  ...SECURITY_KEYS,
  ...MCP_KEYS,
  ...METRICS_KEYS,
  ...TRACE_KEYS,
};

export type KeyName = keyof typeof TABLE;

/** A configuration: times are milliseconds, sizes are bytes, paths are absolute. */
export type Config = {
  readonly [K in KeyName]: (typeof TABLE)[K] extends Key<infer T> ? T : never;
};

export const KEYS: Readonly<Record<KeyName, Key<unknown>>> = TABLE;

export const NAMES = Object.keys(TABLE) as KeyName[];

/** BY_SPELLING maps the spellings of all keys, in lower case, to their names. */
export const BY_SPELLING: ReadonlyMap<string, KeyName> = new Map(
  NAMES.flatMap((name) => [name, KEYS[name].alias ?? []].flat().map((one) => [one, name] as const)),
);

export const SECTIONS: ReadonlySet<string> = new Set(
  [...BY_SPELLING.keys()].flatMap((spelling) => {
    const parts = spelling.split('.').slice(0, -1);
    return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
  }),
);

/** Keys of pREST without effect in this service: they are accepted with a warning. */
const FOREIGN = [
  'cache',
  'studio',
  'otel',
  'pg.cache',
  'pg.single',
  'migrations',
  'pluginmiddlewarelist',
  'version',
];

/** isForeign tells whether a key, in lower case, is a key of pREST without effect in this service. */
export function isForeign(key: string): boolean {
  return FOREIGN.some((name) => key === name || key.startsWith(`${name}.`));
}

/** isSecure tells whether a key, known or not, is in a section where an unknown key is an error. */
export function isSecure(key: string): boolean {
  return SECURE_SECTIONS.some((section) => key === section || key.startsWith(`${section}.`));
}

/** variableOf is the environment variable that overrides a key: `http.port` is SERVICE_HTTP_PORT. */
export function variableOf(key: string): string {
  return `SERVICE_${key.replaceAll('.', '_').toUpperCase()}`;
}
