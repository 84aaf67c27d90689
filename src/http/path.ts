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
  | { readonly kind: 'login' }
  | { readonly kind: 'listing'; readonly name: keyof ExposeSettings }
  | { readonly kind: 'health' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

const NOT_FOUND: Path = { kind: 'refused', code: 'not_found' };
const INVALID_PATH: Path = { kind: 'refused', code: 'invalid_path' };
const INVALID_IDENTIFIER: Path = { kind: 'refused', code: 'invalid_identifier' };

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;
const IDENTIFIER = /^[\p{L}\p{Nd}_-]+$/u;
const IDENTIFIER_BYTES = 63;

/** parsePath reads a raw path that begins with a slash; `context` is the prefix of every route, without slash at its end. */
export function parsePath(raw: string, context: string): Path {
  const segments = raw.split('/');
  if (segments.some((segment) => DOT_SEGMENT.test(segment))) return INVALID_PATH;
  if (raw.includes('//') || (raw.length > 1 && raw.endsWith('/')))
    return { kind: 'redirect', location: singleSlashes(segments) };
  if (context !== '' && !raw.startsWith(`${context}/`)) return NOT_FOUND;
  return route(context === '' ? segments : raw.slice(context.length).split('/'));
}

/** Segments of a path, the first one being the empty one before the slash. */
function route(segments: readonly string[]): Path {
  const [, first, a, b, c] = segments;
  if (segments.length === 2) {
    if (first === '_health') return { kind: 'health' };
    if (first === '_ready') return { kind: 'ready' };
    if (first === 'auth') return { kind: 'login' };
    if (first === 'databases' || first === 'schemas' || first === 'tables')
      return { kind: 'listing', name: first };
  }
  if (first !== '_QUERIES' || a === undefined || b === undefined || segments.length > 5)
    return NOT_FOUND;
  const names = [a, b, ...(c === undefined ? [] : [c])].map(identifier);
  const name = names.pop();
  const folder = names.pop();
  if (name === undefined || folder === undefined || names.includes(undefined))
    return INVALID_IDENTIFIER;
  return { kind: 'query', alias: names[0], folder, name };
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
  if (!IDENTIFIER.test(text) || Buffer.byteLength(text) > IDENTIFIER_BYTES) return undefined;
  return text;
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
