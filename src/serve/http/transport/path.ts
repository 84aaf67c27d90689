/**
 * Paths with names in them: from the raw path of a request target to the script, function or registry entry that it names,
 * or the segments of a path that a script may declare.
 * A path is split before it is decoded, so an encoded slash never makes a segment, and nothing is ever resolved. Rejects
 * dot segments in any spelling, and names that are not identifiers. Doubled and trailing slashes are redirected.
 */
import type { ErrorCode } from '../../../base/errors.js';
import type { OpenApiForm } from '../../../messages/tasks.js';
import { isIdentifier } from '../../../base/identifier.js';

export interface ScriptPath {
  readonly kind: 'script';
  /** Undefined: in the default database. */
  readonly alias: string | undefined;
  readonly folder: string;
  readonly name: string;
}

export interface PluginPath {
  readonly kind: 'plugin';
  /** The library, without `.so`. */
  readonly file: string;
  readonly func: string;
}

export interface RegistryPath {
  readonly kind: 'registry';
  /** Undefined: the default database. */
  readonly alias: string | undefined;
  /** Undefined: all scripts. */
  readonly script: { readonly location: string; readonly name: string } | undefined;
}

export interface OpenApiPath {
  readonly kind: 'openapi';
  readonly form: OpenApiForm;
  /** Undefined: the default database. */
  readonly alias: string | undefined;
}

/** A path that only a script can declare. */
export interface DeclaredPath {
  readonly kind: 'declared';
  /** As sent. */
  readonly segments: readonly string[];
}

export interface SqlPath {
  readonly kind: 'sql';
  readonly call: ScriptPath | DeclaredPath;
}

/** The routes that are not always there. */
export interface OptionalRoutes {
  readonly registry: boolean;
  /** The OpenAPI documents. */
  readonly openapi: boolean;
  readonly sql: boolean;
}

export type NamedPath =
  ScriptPath | PluginPath | RegistryPath | OpenApiPath | SqlPath | DeclaredPath;

export type Path =
  | NamedPath
  | { readonly kind: 'redirect'; readonly location: string }
  /** 404, but 401 for callers without a token that is required. */
  | { readonly kind: 'not_found' }
  | { readonly kind: 'rejected'; readonly code: ErrorCode };

const NOT_FOUND: Path = { kind: 'not_found' };
const INVALID_PATH: Path = { kind: 'rejected', code: 'invalid_path' };
const INVALID_IDENTIFIER: Path = { kind: 'rejected', code: 'invalid_identifier' };

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * Where clients look, after a 401 and without a token, for an authorization server. A 404 lets them go on without one; a
 * 401 makes them give up.
 */
const WELL_KNOWN = '/.well-known/';

/** The path segment of the registry of scripts, which no folder can have then. */
const REGISTRY = 'registry';

/** The segments in front of the path of a call, in the path of its SQL. */
const DOCS = '_docs';
const SQL = 'sql';

/** The last segments of the paths of OpenAPI documents: with their dots they name no script. */
const OPENAPI: ReadonlyMap<string, OpenApiForm> = new Map([
  ['openapi.json', 'json'],
  ['client.ts', 'typescript'],
]);

/**
 * parsePath reads a raw path that begins with a slash. `context` is the prefix of every route, without a slash at its end.
 */
export function parsePath(raw: string, context: string, optional: OptionalRoutes): Path {
  const segments = raw.split('/');
  if (segments.some((segment) => DOT_SEGMENT.test(segment))) return INVALID_PATH;
  if (raw.includes('//') || (raw.length > 1 && raw.endsWith('/')))
    return { kind: 'redirect', location: singleSlashes(segments) };
  if (raw.startsWith(WELL_KNOWN)) return { kind: 'rejected', code: 'not_found' };
  if (context !== '' && !raw.startsWith(`${context}/`)) return NOT_FOUND;
  return route(context === '' ? segments : raw.slice(context.length).split('/'), optional);
}

/** `segments` begins with the empty one before the first slash. */
function route(segments: readonly string[], optional: OptionalRoutes): Path {
  const { registry, openapi, sql } = optional;
  const [, first, ...rest] = segments;
  if (first === '_PLUGIN') return pluginPath(rest);
  if (sql && first === DOCS && rest[0] === SQL) return sqlPath(rest, optional);
  if (first !== '_QUERIES') {
    // What begins with an underscore belongs to the service.
    const reserved = first === undefined || first === '' || first.startsWith('_');
    return reserved ? NOT_FOUND : { kind: 'declared', segments: segments.slice(1) };
  }
  const registers = registry && rest[0] !== undefined && identifier(rest[0]) === REGISTRY;
  const form = OPENAPI.get(rest.at(-1)!);
  if (openapi && !registers && form !== undefined && rest.length <= 2)
    return openApiPath(rest.slice(0, -1), form);
  if (registers ? rest.length > 4 : rest.length !== 2 && rest.length !== 3) return NOT_FOUND;
  const names = identifiers(rest);
  if (names === undefined) return INVALID_IDENTIFIER;
  if (registers) return registryPath(names.slice(1));
  const [name, folder, alias] = names.reverse() as [string, string, string?];
  if (registry && folder === REGISTRY) return NOT_FOUND;
  return { kind: 'script', alias, folder, name };
}

function pluginPath(segments: readonly string[]): Path {
  if (segments.length !== 2) return NOT_FOUND;
  const names = identifiers(segments);
  if (names === undefined) return INVALID_IDENTIFIER;
  const [file, func] = names as [string, string];
  return { kind: 'plugin', file, func };
}

/** `segments` begins with the segment of SQL; the path of a call follows. */
function sqlPath(segments: readonly string[], optional: OptionalRoutes): Path {
  const call = route(segments, { ...optional, sql: false });
  if (call.kind === 'rejected') return call;
  return call.kind === 'script' || call.kind === 'declared' ? { kind: 'sql', call } : NOT_FOUND;
}

/** After the segment of the registry: nothing, an alias, a script, or an alias and a script. */
function registryPath(names: string[]): Path {
  const alias = names.length % 2 === 1 ? names.shift() : undefined;
  const [location, name] = names;
  const script = location === undefined || name === undefined ? undefined : { location, name };
  return { kind: 'registry', alias, script };
}

function openApiPath(segments: readonly string[], form: OpenApiForm): Path {
  const names = identifiers(segments);
  return names === undefined ? INVALID_IDENTIFIER : { kind: 'openapi', form, alias: names[0] };
}

/** Decodes segments; undefined when one is not an identifier. */
function identifiers(segments: readonly string[]): string[] | undefined {
  const names = segments.map(identifier);
  return names.every((name) => name !== undefined) ? names : undefined;
}

function identifier(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return isIdentifier(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The path without its empty segments. It begins with exactly one slash, and a backslash, which browsers take for a
 * slash, is encoded, so that the redirect never leads to another host.
 */
function singleSlashes(segments: readonly string[]): string {
  return `/${segments
    .filter((segment) => segment !== '')
    .map(encodeOdd)
    .join('/')}`;
}

/** encodeOdd percent-encodes characters that a URL cannot contain, and keeps existing percent-encoding. */
export function encodeOdd(text: string): string {
  return text.replace(/[^!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]/gu, encodeURIComponent);
}
