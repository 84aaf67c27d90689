/**
 * Paths: from the raw path of a request target to what it names. Split before it is decoded, so that an encoded slash
 * never makes a segment; nothing is ever resolved. Refuses dot segments in any spelling, and segments of a route that
 * are not identifiers. Doubled and trailing slashes lead to a redirect.
 */
import type { ErrorCode } from '../errors.js';
import type { ExposeSettings } from '../protocol.js';

/** What a path names. */
export type Path =
  | {
      readonly kind: 'query';
      /** As given; undefined where the path names none. */
      readonly alias: string | undefined;
      readonly folder: string;
      readonly name: string;
    }
  | {
      readonly kind: 'registry';
      /** As given; undefined where the path names none. */
      readonly alias: string | undefined;
      /** Undefined for all of them. */
      readonly script: { readonly location: string; readonly name: string } | undefined;
    }
  | {
      readonly kind: 'plugin';
      /** The library, without `.so`. */
      readonly file: string;
      readonly func: string;
    }
  | { readonly kind: 'login' }
  | { readonly kind: 'listing'; readonly name: keyof ExposeSettings }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'health' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'redirect'; readonly location: string }
  /** Nothing, and whoever asks may know it. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

const NOT_FOUND: Path = { kind: 'refused', code: 'not_found' };
const ABSENT: Path = { kind: 'absent' };
const INVALID_PATH: Path = { kind: 'refused', code: 'invalid_path' };
const INVALID_IDENTIFIER: Path = { kind: 'refused', code: 'invalid_identifier' };

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
const IDENTIFIER = /^[\p{L}\p{Nd}_-]+$/u;
const IDENTIFIER_BYTES = 63;

/**
 * Where clients that got a 401 look, without a token, for somebody to get one from. They go on without where there is
 * nothing, and give up where they are refused.
 */
const WELL_KNOWN = '/.well-known/';

/** Where the registry of scripts is, and no folder when there is one. */
const REGISTRY = 'registry';

/**
 * parsePath reads a raw path that begins with a slash; `context` is the prefix of every route, without slash at its end.
 * `registry` tells whether there is a registry of scripts.
 */
export function parsePath(raw: string, context: string, registry = false): Path {
  const segments = raw.split('/');
  if (segments.some((segment) => DOT_SEGMENT.test(segment))) return INVALID_PATH;
  if (raw.includes('//') || (raw.length > 1 && raw.endsWith('/')))
    return { kind: 'redirect', location: singleSlashes(segments) };
  if (raw.startsWith(WELL_KNOWN)) return ABSENT;
  if (context !== '' && !raw.startsWith(`${context}/`)) return NOT_FOUND;
  return route(context === '' ? segments : raw.slice(context.length).split('/'), registry);
}

/** Segments of a path, the first one being the empty one before the slash. */
function route(segments: readonly string[], registry: boolean): Path {
  const [, first, ...rest] = segments;
  if (segments.length === 2) {
    if (first === '_health') return { kind: 'health' };
    if (first === '_ready') return { kind: 'ready' };
    if (first === 'auth') return { kind: 'login' };
    if (first === '_mcp') return { kind: 'mcp' };
    if (first === 'databases' || first === 'schemas' || first === 'tables')
      return { kind: 'listing', name: first };
  }
  if (first === '_PLUGIN') return pluginPath(rest);
  if (first !== '_QUERIES') return NOT_FOUND;
  const registers = registry && rest[0] !== undefined && identifier(rest[0]) === REGISTRY;
  if (registers ? rest.length > 4 : rest.length !== 2 && rest.length !== 3) return NOT_FOUND;
  const names = identifiers(rest);
  if (names === undefined) return INVALID_IDENTIFIER;
  if (registers) return registryPath(names.slice(1));
  const [name, folder, alias] = names.reverse() as [string, string, string?];
  if (registry && folder === REGISTRY) return NOT_FOUND;
  return { kind: 'query', alias, folder, name };
}

/** What the segments after the route of plugins name. */
function pluginPath(segments: readonly string[]): Path {
  if (segments.length !== 2) return NOT_FOUND;
  const names = identifiers(segments);
  if (names === undefined) return INVALID_IDENTIFIER;
  const [file, func] = names as [string, string];
  return { kind: 'plugin', file, func };
}

/** What the segments after the registry's name: nothing, an alias, a script, or an alias and a script. */
function registryPath(names: string[]): Path {
  const alias = names.length % 2 === 1 ? names.shift() : undefined;
  const [location, name] = names;
  const script = location === undefined || name === undefined ? undefined : { location, name };
  return { kind: 'registry', alias, script };
}

/** The decoded segments, or undefined when one is no identifier. */
function identifiers(segments: readonly string[]): string[] | undefined {
  const names: string[] = [];
  for (const segment of segments) {
    const name = identifier(segment);
    if (name === undefined) return undefined;
    names.push(name);
  }
  return names;
}

/** The decoded segment, or undefined when it is no identifier. */
function identifier(segment: string): string | undefined {
  let text = segment;
  if (segment.includes('%')) {
    try {
      text = decodeURIComponent(segment);
    } catch {
      return undefined;
    }
  }
  return isIdentifier(text) ? text : undefined;
}

/** isIdentifier tells whether a decoded segment of a path may be a name: the rule of all routes. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) && Buffer.byteLength(text) <= IDENTIFIER_BYTES;
}

/**
 * The path without its empty segments. It begins with exactly one slash, and what browsers would take for another one
 * (a backslash) is encoded, so that it never leads to another host.
 */
function singleSlashes(segments: readonly string[]): string {
  return `/${segments
    .filter((segment) => segment !== '')
    .map(encodeOdd)
    .join('/')}`;
}

/** encodeOdd percent-encodes what a URL cannot hold as it is, and leaves percent-encoding alone. */
export function encodeOdd(text: string): string {
  return text.replace(/[^!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]/gu, encodeURIComponent);
}
