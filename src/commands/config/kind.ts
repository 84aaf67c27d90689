/**
 * The kinds of values that configuration keys can have. A kind reads a value of TOML or of the environment, and converts it
 * to the unit of the service (milliseconds, bytes). The error for another value names the kind of value found and what is
 * allowed, but not the value, which may be a secret in the wrong key.
 */
import { isIP } from 'node:net';
import { isHeaderName } from '../../base/headers.js';
import { isIdentifier } from '../../base/identifier.js';

/** Issues collects the errors and warnings about a configuration, one line each. */
export interface Issues {
  readonly errors: string[];
  readonly warnings: string[];
}

export interface Kind<T> {
  /** Its name in the documentation. */
  readonly name: string;
  /** The allowed values, for messages and the documentation. */
  readonly allowed: string;
  /** read converts a value; it adds an error for `at`, the key as written, when the value is not allowed. */
  read(value: unknown, at: string, issues: Issues): T | undefined;
  /** parse converts the text of an environment variable or flag to a value for `read`. */
  parse(text: string): unknown;
  show(value: T): string;
  /** Whether a value is a path, relative to the folder of its source. */
  isPath?(value: T): boolean;
}

/** describe names the kind of a value, for messages. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'object' ? 'a table' : `a ${typeof value}`;
}

/** A kind whose values `convert` accepts; `found` names another value in the error. */
function simple<T>(
  name: string,
  allowed: string,
  convert: (value: unknown) => T | undefined,
  { found = describe, ...rest }: Partial<Kind<T>> & { found?: (value: unknown) => string } = {},
): Kind<T> {
  return {
    name,
    allowed,
    read(value, at, issues) {
      const converted = convert(value);
      if (converted === undefined)
        issues.errors.push(`${at}: found ${found(value)}; allowed: ${allowed}`);
      return converted;
    },
    parse: (text) => text,
    show: (value) => JSON.stringify(value),
    ...rest,
  };
}

/** boolean accepts true and false; in the environment also 1 and 0. */
export function boolean(): Kind<boolean> {
  return simple(
    'boolean',
    'true or false',
    (value) => (typeof value === 'boolean' ? value : undefined),
    {
      parse(text) {
        if (/^(true|1)$/i.test(text)) return true;
        if (/^(false|0)$/i.test(text)) return false;
        return text;
      },
    },
  );
}

function string(allowed: string, accept: (text: string) => boolean): Kind<string> {
  return simple('string', allowed, (value) =>
    typeof value === 'string' && accept(value) ? value : undefined,
  );
}

/** text accepts a string that matches `pattern`; `allowed` describes the pattern. */
export function text(allowed = 'a string', pattern = /^[^\0]*$/): Kind<string> {
  return string(allowed, (value) => pattern.test(value));
}

/** objectName accepts the name of a schema, table, column or role: 1 to 63 bytes. */
export function objectName(): Kind<string> {
  return string(
    'a name of 1 to 63 bytes',
    (value) => /^[^\0]+$/.test(value) && Buffer.byteLength(value) <= 63,
  );
}

/** databaseAlias accepts a name for paths: 1 to 63 bytes of letters, digits, `_` and `-`. */
export function databaseAlias(): Kind<string> {
  return string('1 to 63 bytes of letters, digits, _ and -', isIdentifier);
}

export function path(): Kind<string> {
  return { ...text('a path', /^[^\0]+$/), name: 'path', isPath: () => true };
}

export function keySet(): Kind<string> {
  return {
    ...text('JSON, an http or https URL, or a path', /^[^\0]+$/),
    isPath: (value) => !/^\s*\{|^https?:\/\//.test(value),
  };
}

export function choice<const T extends string>(...words: readonly T[]): Kind<T> {
  return simple(
    'string',
    words.length === 1 ? `only "${words[0]!}"` : `one of ${words.join(', ')}`,
    (value) => words.find((word) => word === value),
  );
}

export function integer(min: number, max: number): Kind<number> {
  return simple(
    'integer',
    `a whole number from ${min} to ${max}`,
    (value) =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max
        ? Number(value)
        : undefined,
    {
      found: (value) => (typeof value === 'number' ? String(value) : describe(value)),
      parse: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : text),
    },
  );
}

/** ratio accepts a number from 0 to 1. */
export function ratio(): Kind<number> {
  return simple(
    'number',
    'a number from 0 to 1',
    (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined),
    { parse: (text) => (/^(\d+(\.\d*)?|\.\d+)$/.test(text) ? Number(text) : text) },
  );
}

/** httpUrl accepts a URL of HTTP without a user, a password, a query string and a fragment. */
export function httpUrl(): Kind<string> {
  return string(
    'an http or https URL without user, password, query string and fragment',
    (value) => HTTP_URL.test(value) && URL.canParse(value),
  );
}

const HTTP_URL = /^https?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i;

/** headerPairs accepts headers as OpenTelemetry writes them: `name=value`, percent-encoded, separated by commas. */
export function headerPairs(): Kind<Readonly<Record<string, string>>> {
  return simple(
    'string',
    'headers as "name=value,name=value", with % and other characters percent-encoded',
    (value) => (typeof value === 'string' ? readHeaderPairs(value) : undefined),
    { show: (value) => JSON.stringify(Object.keys(value).join(',')) },
  );
}

function readHeaderPairs(text: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [, name, encoded] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || !isHeaderName(name)) return undefined;
    let value;
    try {
      value = decodeURIComponent(encoded!);
    } catch {
      return undefined;
    }
    if (!/^[\x20-\x7e]*$/.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return Object.freeze(headers);
}

/** Bytes of a mebibyte; milliseconds of a second and of a day. */
export const MiB = 1024 ** 2;
export const SECOND = 1_000;
export const DAY = 86_400_000;

const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** duration accepts seconds as a number, or a number with ms, s, m or h; value and bounds are milliseconds. */
export function duration(min: number, max: number): Kind<number> {
  const allowed = `seconds, or a number with ms, s, m or h, from ${withUnit(min, TIMES)} to ${withUnit(max, TIMES)}`;
  return quantity('duration', allowed, TIMES, TIMES['s']!, min, max);
}

/** size accepts bytes as a number, or a number with KiB, MiB or GiB; value and bounds are bytes. */
export function size(min: number, max: number): Kind<number> {
  const allowed = `bytes, or a number with KiB, MiB or GiB, from ${withUnit(min, SIZES)} to ${withUnit(max, SIZES)}`;
  return quantity('size', allowed, SIZES, 1, min, max);
}

/** A bound of how far a replica may be behind: bytes of WAL, or milliseconds. */
export type Lag =
  | { readonly bytes: number; readonly time?: undefined }
  | { readonly time: number; readonly bytes?: undefined };

/** lag accepts a size, or a duration with its unit. */
export function lag(): Kind<Lag> {
  const times = duration(SECOND, DAY);
  const sizes = size(1, 1024 * 1024 * MiB);
  const allowed =
    'a size with KiB, MiB or GiB, or a duration with s, m or h from 1s to 24h, both as strings';
  const convert = (value: unknown): Lag | undefined => {
    if (typeof value !== 'string') return undefined; // a number alone could be either
    const unread: Issues = { errors: [], warnings: [] };
    const bytes = sizes.read(value, '', unread);
    if (bytes !== undefined) return Object.freeze({ bytes });
    const time = times.read(value, '', unread);
    return time === undefined ? undefined : Object.freeze({ time });
  };
  return simple('lag', allowed, convert, {
    show: ({ bytes, time }) => (bytes === undefined ? times.show(time) : sizes.show(bytes)),
  });
}

function quantity(
  name: string,
  allowed: string,
  units: Readonly<Record<string, number>>,
  bare: number,
  min: number,
  max: number,
): Kind<number> {
  const form = new RegExp(`^(\\d{1,15}(?:\\.\\d{1,9})?) ?(${Object.keys(units).join('|')})$`);
  const amountOf = (value: unknown): number => {
    if (typeof value === 'number') return Math.round(value * bare);
    const match = typeof value === 'string' ? form.exec(value) : null;
    return match === null ? NaN : Math.round(Number(match[1]) * units[match[2]!]!);
  };
  const convert = (value: unknown): number | undefined => {
    const amount = amountOf(value);
    return amount >= min && amount <= max ? amount : undefined;
  };
  return simple(name, allowed, convert, {
    found: (value) => {
      const amount = amountOf(value);
      return Number.isFinite(amount) ? withUnit(amount, units) : describe(value);
    },
    parse: (text) => (/^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text),
    show: (value) => `"${withUnit(value, units)}"`,
  });
}

/** withUnit formats an amount in the largest unit in which it is a whole number. */
function withUnit(amount: number, units: Readonly<Record<string, number>>): string {
  let best = Object.keys(units)[0]!;
  for (const [unit, factor] of Object.entries(units)) {
    if (Math.abs(amount) >= factor && amount % factor === 0) best = unit;
  }
  // A minute is usually written as 60 s.
  if (amount === 60_000 && units === TIMES) best = 's';
  return `${amount / units[best]!}${best}`;
}

/** list accepts a list of strings, separated by commas in the environment; `accept` checks each item. */
export function list(
  allowed = 'a list of strings',
  accept: (item: string) => boolean = () => true,
): Kind<readonly string[]> {
  return simple(
    'list',
    allowed,
    (value) =>
      Array.isArray(value) &&
      value.every((item): item is string => typeof item === 'string' && accept(item))
        ? Object.freeze([...value])
        : undefined,
    {
      parse: (text) =>
        text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
    },
  );
}

/** scopes accepts the scopes of a token (RFC 6749, section 3.3): a list, or one text with spaces between them. */
export function scopes(): Kind<readonly string[]> {
  return simple('list', 'a scope such as "orders:read", or a list of scopes', (value) => {
    const words: unknown = typeof value === 'string' ? value.split(' ') : value;
    if (!Array.isArray(words) || words.length === 0) return undefined;
    const all = words.every((word) => typeof word === 'string' && /^[!#-[\]-~]+$/.test(word));
    return all ? Object.freeze(words as string[]) : undefined;
  });
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** listenAddress accepts a host name or IP address and a port: `127.0.0.1:9187`, `[::1]:9187`. */
export function listenAddress(): Kind<ListenAddress> {
  return simple(
    'string',
    'an address and a port from 0 to 65535, such as "127.0.0.1:9187" or "[::1]:9187"',
    (value) => {
      const match = typeof value === 'string' ? LISTEN.exec(value) : null;
      if (match === null) return undefined;
      const [, bracketed, name, digits] = match;
      const port = Number(digits);
      if (port > 65_535 || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined;
      return { host: bracketed ?? name!, port };
    },
    {
      show: ({ host, port }) =>
        JSON.stringify(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`),
    },
  );
}

const LISTEN = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})$/;

export function patterns(): Kind<readonly string[]> {
  return list('a list of regular expressions', (item) => {
    try {
      new RegExp(item, 'u');
      return true;
    } catch {
      return false;
    }
  });
}

/** networks accepts a list of IP addresses and networks (10.0.0.0/8). */
export function networks(): Kind<readonly string[]> {
  return list('a list of IP addresses or networks (10.0.0.0/8)', (item) => {
    const [address = '', prefix, ...more] = item.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) === 0 || more.length > 0) return false;
    return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  });
}

/** variables accepts a list of names of environment variables, except those that can contain a secret of the configuration. */
export function variables(): Kind<readonly string[]> {
  return list(
    'a list of names of environment variables, none of them one that sets keys (SERVICE_…, DATABASE_…, PG…)',
    (item) =>
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(item) && !/^(SERVICE_|DATABASE_|PREST_|PG)/.test(item),
  );
}
