/**
 * A path declared by `-- @path`: segments that are literal or a parameter, `/v1/orders/{id}`, and the methods it serves.
 * Refuses paths that a built-in route serves, wildcards, and what no request could match.
 */
import { isIdentifier } from '../identifier.js';

export interface RoutePattern {
  /** Methods in upper case, GET with HEAD; those of the script's verb when the directive names none. */
  readonly methods: readonly string[];
  /** As declared, for messages. */
  readonly path: string;
  /** Literal segments are decoded. */
  readonly segments: readonly (string | { readonly parameter: string })[];
}

/** Most segments of a path, and most characters. */
const MAX_SEGMENTS = 16;
const MAX_LENGTH = 1_024;

/** First segments of built-in routes, served or to come. Those that begin with `_` are reserved too. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'auth',
  'databases',
  'schemas',
  'tables',
  '.well-known',
  'metrics',
  'openapi.json',
  'docs',
]);

/** Data of scripts that is no parameter. */
const NO_PARAMETERS: ReadonlySet<string> = new Set(['header', 'body', 'request', 'claims']);

/**
 * parseRoutePattern reads the text of a directive: an absolute path, and before it optional methods separated by commas or
 * spaces. `verbMethods` are those of the script's verb. Returns the reason when it is invalid.
 */
export function parseRoutePattern(
  text: string,
  verbMethods: readonly string[],
): RoutePattern | { readonly problem: string } {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const path = words.pop();
  if (path === undefined) return { problem: 'a path is missing, write /v1/orders/{id}' };
  if (!path.startsWith('/'))
    return { problem: `the path ${path} does not begin with a slash, write /v1/orders/{id}` };
  const named = new Set(words.map((word) => word.toUpperCase()));
  for (const method of named)
    if (!verbMethods.includes(method))
      return {
        problem: `the method ${method} is none of this script's, which are ${verbMethods.join(', ')}`,
      };
  if (named.has('GET')) named.add('HEAD');
  const segments = segmentsOf(path);
  if ('problem' in segments) return { problem: `the path ${path} ${segments.problem}` };
  return { methods: named.size === 0 ? verbMethods : [...named], path, segments };
}

function segmentsOf(path: string): RoutePattern['segments'] | { readonly problem: string } {
  if (path.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  const parts = path.split('/').slice(1);
  if (parts.length > MAX_SEGMENTS) return { problem: `has more than ${MAX_SEGMENTS} segments` };
  const segments: (string | { readonly parameter: string })[] = [];
  const parameters = new Set<string>();
  for (const part of parts) {
    const segment = segmentOf(part);
    if (typeof segment === 'object') {
      if ('problem' in segment) return segment;
      const { parameter } = segment;
      if (parameters.has(parameter)) return { problem: `has the parameter {${parameter}} twice` };
      parameters.add(parameter);
    }
    segments.push(segment);
  }
  const [first] = segments;
  if (typeof first === 'object')
    return { problem: 'would match built-in routes such as /databases, begin it with fixed text' };
  if (first !== undefined && (first.startsWith('_') || BUILT_IN.has(first)))
    return { problem: `belongs to the built-in route /${first}, begin it with another segment` };
  return segments;
}

function segmentOf(
  text: string,
): string | { readonly parameter: string } | { readonly problem: string } {
  if (text === '') return { problem: 'has an empty segment' };
  const [, parameter] = /^\{(.*)\}$/.exec(text) ?? [];
  if (parameter !== undefined) {
    // A leading underscore is reserved for parameters of the service, such as _page.
    const valid = isIdentifier(parameter) && !parameter.startsWith('_');
    return valid && !NO_PARAMETERS.has(parameter)
      ? { parameter }
      : { problem: `has the invalid parameter name ${text}` };
  }
  if (/[{}]/.test(text)) return { problem: `has ${text}: a parameter is a whole segment` };
  if (text.startsWith(':')) return { problem: `has ${text}: a parameter is written {name}` };
  if (text.includes('*')) return { problem: 'has a wildcard, write {name} for one segment' };
  if (/[?#]/.test(text)) return { problem: 'has a query string or fragment' };
  if (!SEGMENT.test(text)) return { problem: `has ${text}: percent-encode its special characters` };
  const decoded = decode(text);
  if (decoded === undefined) return { problem: `has ${text}: the percent-encoding is invalid` };
  if (decoded === '.' || decoded === '..') return { problem: 'has a dot segment' };
  return decoded;
}

/** The characters of a segment (RFC 3986, pchar), and those beyond ASCII, which clients encode. */
const SEGMENT = /^[\w.~!$&'()*+,;=:@%\u00a1-\u{10ffff}-]+$/u;

/** Undefined for escapes that are not UTF-8, and NUL, which no request can have. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
