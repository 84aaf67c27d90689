/**
 * A path declared by `-- @path`: segments that are literal or a parameter, `/v1/orders/{id}`, and the methods it serves.
 * Refuses paths that a built-in route serves, wildcards, and what no request could match.
 */
import { isIdentifier } from '../../base/identifier.js';

export interface RoutePattern {
  /** Methods in upper case, GET with HEAD; the methods of the script's verb when the directive names none. */
  readonly methods: readonly string[];
  /** As declared, for messages. */
  readonly path: string;
  /** Literal segments are decoded. */
  readonly segments: readonly Segment[];
}

type Segment = string | { readonly parameter: string };

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
 * parseRoute reads the text of a directive: an absolute path, and before it optional methods separated by commas or spaces.
 * `allowed` are the methods of the script's verb. Throws SyntaxError.
 */
export function parseRoute(text: string, allowed: readonly string[]): RoutePattern {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const path = words.pop();
  if (path === undefined) throw new SyntaxError(`the path is missing, ${EXAMPLE}`);
  if (!path.startsWith('/'))
    throw new SyntaxError(`the path ${path} does not begin with a slash, ${EXAMPLE}`);
  return { methods: methodsOf(words, allowed), path, segments: segmentsOf(path) };
}

const EXAMPLE = 'write /v1/orders/{id}, or GET /v1/orders/{id}';

function methodsOf(words: readonly string[], allowed: readonly string[]): readonly string[] {
  const methods = new Set(words.map((word) => word.toUpperCase()));
  for (const method of methods)
    if (!allowed.includes(method))
      throw new SyntaxError(
        `the method ${method} is none of this script's, which are ${allowed.join(', ')}`,
      );
  if (methods.size === 0) return allowed;
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}

function segmentsOf(path: string): readonly Segment[] {
  const invalid = (reason: string): SyntaxError => new SyntaxError(`the path ${path} ${reason}`);
  if (path.length > MAX_LENGTH)
    throw new SyntaxError(`the path is longer than ${MAX_LENGTH} characters`);
  const parts = path.split('/').slice(1);
  if (parts.length > MAX_SEGMENTS) throw invalid(`has more than ${MAX_SEGMENTS} segments`);
  const parameters = new Set<string>();
  const segments = parts.map((part) => {
    const segment = segmentOf(part, invalid);
    if (typeof segment === 'string') return segment;
    const { parameter } = segment;
    if (parameters.has(parameter)) throw invalid(`has the parameter {${parameter}} twice`);
    parameters.add(parameter);
    return segment;
  });
  const [first = ''] = segments;
  if (typeof first === 'object')
    throw invalid('would match built-in routes such as /databases, begin it with fixed text');
  if (first.startsWith('_') || BUILT_IN.has(first))
    throw invalid(`belongs to the built-in route /${first}, begin it with another segment`);
  return segments;
}

function segmentOf(text: string, invalid: (reason: string) => SyntaxError): Segment {
  if (text === '') throw invalid('has an empty segment');
  const parameter = /^\{(.*)\}$/.exec(text)?.[1];
  if (parameter !== undefined) {
    // A leading underscore is reserved for parameters of the service, such as _page.
    const valid = isIdentifier(parameter) && !parameter.startsWith('_');
    if (!valid || NO_PARAMETERS.has(parameter))
      throw invalid(`has the invalid parameter name ${text}`);
    return { parameter };
  }
  if (/[{}]/.test(text)) throw invalid(`has ${text}: a parameter is a whole segment`);
  if (text.startsWith(':')) throw invalid(`has ${text}: a parameter is written {name}`);
  if (text.includes('*')) throw invalid('has a wildcard, write {name} for one segment');
  if (/[?#]/.test(text)) throw invalid('has a query string or fragment');
  if (!SEGMENT.test(text)) throw invalid(`has ${text}: percent-encode its special characters`);
  const decoded = decode(text);
  if (decoded === undefined) throw invalid(`has ${text}: the percent-encoding is invalid`);
  if (decoded === '.' || decoded === '..') throw invalid('has a dot segment');
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
