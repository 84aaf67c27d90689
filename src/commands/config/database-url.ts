/**
 * Splits a database URL into the keys it sets, in libpq's form `postgres://user:password@host:port/database?sslmode=…` with
 * one host. Refuses unknown parameters, because one of them may be about security. No message contains a part of the URL.
 */
import type { KeyName } from './schema.js';

export const URL_FORM = 'postgres://user:password@host:port/database?sslmode=…';

const PARAMETERS: ReadonlyMap<string, KeyName> = new Map([
  ['host', 'pg.host'],
  ['port', 'pg.port'],
  ['user', 'pg.user'],
  ['password', 'pg.pass'],
  ['dbname', 'pg.database'],
  ['connect_timeout', 'pg.conntimeout'],
  ['channel_binding', 'pg.channel_binding'],
  ['sslmode', 'pg.ssl.mode'],
  ['sslcert', 'pg.ssl.cert'],
  ['sslkey', 'pg.ssl.key'],
  ['sslrootcert', 'pg.ssl.rootcert'],
]);

const NUMBERS: ReadonlySet<KeyName> = new Set(['pg.port', 'pg.conntimeout']);

/** parseDatabaseUrl returns the keys that a URL sets, or an error message as a string. */
export function parseDatabaseUrl(text: string): Map<KeyName, unknown> | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'not a valid URL (characters such as @ : / # ? % in a user name or password are written percent-encoded)';
  }
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')
    return 'not a URL that begins with postgres://';
  if (url.hash !== '') return 'not a valid URL: # in it must be written %23';
  // A slash too many makes a password part of the name, which messages show.
  if (url.pathname.includes('@'))
    return 'not a valid URL: user and password follow the two slashes, and @ in the name of a database is written %40';
  const parts = new Map<KeyName, unknown>();
  try {
    const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
    const database = decodeURIComponent(url.pathname.replace(/^\//, '').replace(/\/$/, ''));
    if (host !== '') parts.set('pg.host', host);
    if (url.port !== '') parts.set('pg.port', Number(url.port));
    if (url.username !== '') parts.set('pg.user', decodeURIComponent(url.username));
    if (url.password !== '') parts.set('pg.pass', decodeURIComponent(url.password));
    if (database !== '') parts.set('pg.database', database);
  } catch {
    return 'not a valid URL: % in it must be followed by two hexadecimal digits';
  }
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '');
  for (const pair of parameters) {
    const equals = pair.indexOf('=');
    const parameter = equals < 0 ? pair : pair.slice(0, equals);
    const key = PARAMETERS.get(parameter);
    if (key === undefined)
      return `it has a parameter that is not known; known are ${[...PARAMETERS.keys()].join(', ')}`;
    let value: string;
    try {
      // Not URLSearchParams, which decodes a plus sign as a space; libpq does not.
      value = equals < 0 ? '' : decodeURIComponent(pair.slice(equals + 1));
    } catch {
      return 'not a valid URL: % in it must be followed by two hexadecimal digits';
    }
    parts.set(key, NUMBERS.has(key) && /^\d+$/.test(value) ? Number(value) : value);
  }
  return parts;
}
