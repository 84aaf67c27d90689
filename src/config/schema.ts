/**
 * Every configuration key in one table, and what follows from it: the type of a configuration, the names of the
 * environment variables, which keys belong to a security section. The documentation is made from the same table.
 */
import type { Key } from './key.js';
import { DATABASE_KEYS } from './keys-database.js';
import { MCP_KEYS } from './keys-mcp.js';
import { SECURE_SECTIONS, SECURITY_KEYS } from './keys-security.js';
import { SERVICE_KEYS } from './keys-service.js';

const TABLE = { ...SERVICE_KEYS, ...DATABASE_KEYS, ...SECURITY_KEYS, ...MCP_KEYS };

/** KeyName is the dotted name of a key. */
export type KeyName = keyof typeof TABLE;

/** Config is a whole configuration, by key: times in milliseconds, sizes in bytes, paths absolute. */
export type Config = {
  readonly [K in KeyName]: (typeof TABLE)[K] extends Key<infer T> ? T : never;
};

/** KEYS are all keys, in the order of the documentation. */
export const KEYS: Readonly<Record<KeyName, Key<unknown>>> = TABLE;

/** NAMES are the names of all keys, in the order of the documentation. */
export const NAMES = Object.keys(TABLE) as KeyName[];

/** BY_SPELLING finds a key by any of its spellings, all in lower case. */
export const BY_SPELLING: ReadonlyMap<string, KeyName> = new Map(
  NAMES.flatMap((name): [string, KeyName][] => {
    const alias = KEYS[name].alias;
    return alias === undefined
      ? [[name, name]]
      : [
          [name, name],
          [alias, name],
        ];
  }),
);

/** SECTIONS are the names of all tables that hold keys, such as `pg` and `pg.ssl`. */
export const SECTIONS: ReadonlySet<string> = new Set(
  [...BY_SPELLING.keys()].flatMap((spelling) => {
    const parts = spelling.split('.').slice(0, -1);
    return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
  }),
);

/** Keys of pREST that are outside this service: accepted, and said to be of no effect. */
const FOREIGN = [
  'cache',
  'studio',
  'otel',
  'pg.cache',
  'migrations',
  'pluginmiddlewarelist',
  'version',
];

/** isForeign tells whether a key, in lower case, is one of pREST's that are outside this service. */
export function isForeign(key: string): boolean {
  return FOREIGN.some((name) => key === name || key.startsWith(`${name}.`));
}

/** isSecure tells whether a key, known or not, stands in a section where a mistyped key is an error. */
export function isSecure(key: string): boolean {
  return SECURE_SECTIONS.some((section) => key === section || key.startsWith(`${section}.`));
}

/** variableOf is the environment variable that overrides a key: `http.port` is SERVICE_HTTP_PORT. */
export function variableOf(key: string): string {
  return `SERVICE_${key.replaceAll('.', '_').toUpperCase()}`;
}
