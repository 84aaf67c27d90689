/**
 * The two eras of the protocol. Legacy (up to 2025-11-25): a client begins with `initialize`, and later requests may
 * name the version in a header. Modern (from 2026-07-28): requests are independent, name their version in
 * `params._meta`, and repeat version, method and tool or URI in headers for intermediaries; both must agree. Requests without
 * a version are legacy.
 */
import type { McpHeaders } from './headers.js';
import { isObject } from '../../base/json.js';
import { quoted, type McpMessage } from './message.js';
import { INVALID_PARAMS, RpcError } from '../arguments/tool.js';

/** Headers and body differ. */
export const HEADER_MISMATCH = -32020;
export const UNSUPPORTED_VERSION = -32022;

export type Era = 'modern' | 'legacy';

/** Newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const MODERN_VERSION = '2026-07-28';

export const VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

const LEGACY: ReadonlySet<string> = new Set(LEGACY_VERSIONS);

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** By method, the parameter that Mcp-Name repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['resources/read', 'uri'],
]);

/**
 * eraOf returns the era of a message and checks that its headers agree with it. Throws RpcError. For a notification,
 * whose sender gets no response, only the version is checked.
 */
export function eraOf({ id, method, params }: McpMessage, headers: McpHeaders): Era {
  const { version } = headers;
  const meta = isObject(params['_meta']) ? params['_meta'] : undefined;
  const claimed = meta?.[VERSION_KEY];
  if (claimed === undefined || id === undefined) {
    if (version === undefined || LEGACY.has(version)) return 'legacy';
    if (version !== MODERN_VERSION) throw unsupported(version);
    if (id === undefined) return 'modern';
    throw incomplete(`a request of ${version} names it there as well, as "${VERSION_KEY}"`);
  }
  if (typeof claimed !== 'string') throw incomplete(`"${VERSION_KEY}" must be a string`);
  if (version === undefined ? !LEGACY.has(claimed) : version !== claimed)
    throw mismatch('MCP-Protocol-Version', version, `params._meta says ${quoted(claimed)}`);
  if (LEGACY.has(claimed)) return 'legacy';
  if (claimed !== MODERN_VERSION) throw unsupported(claimed);
  if (!isObject(meta![CAPABILITIES_KEY]))
    throw incomplete(`"${CAPABILITIES_KEY}" must be there, an object`);
  if (headers.method !== method)
    throw mismatch('Mcp-Method', headers.method, `the method is ${quoted(method)}`);
  const member = NAMED.get(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string' && headers.name !== name)
    throw mismatch('Mcp-Name', headers.sentName, `params.${member} is ${quoted(name)}`);
  return 'modern';
}

function unsupported(requested: string): RpcError {
  const message = `protocol version ${quoted(requested)} is not supported: use one of ${VERSIONS.join(', ')}`;
  return new RpcError(UNSUPPORTED_VERSION, message, 400, { supported: VERSIONS, requested });
}

function incomplete(reason: string): RpcError {
  return new RpcError(INVALID_PARAMS, `params._meta: ${reason}`, 400);
}

function mismatch(header: string, sent: string | undefined, body: string): RpcError {
  const what = sent === undefined ? 'is missing' : `is ${quoted(sent)}`;
  const message = `the header ${header} ${what}, but ${body}: they must be the same`;
  return new RpcError(HEADER_MISMATCH, message, 400);
}
