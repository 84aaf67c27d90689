/**
 * The two eras of the protocol. Up to 2025-11-25 a client begins with `initialize`, and its further requests may name the
 * version in a header. From 2026-07-28 on each request stands for itself: it names its version in `params._meta`, and its
 * headers repeat version, method and tool for who stands between. What they say must agree. Requests that name no version
 * are of the older era.
 */
import type { McpHeaders } from './headers.js';
import { isObject, shown, type Message } from './message.js';
import { INVALID_PARAMS, RpcError } from './tool.js';

/** Headers do not say what the body says. */
export const HEADER_MISMATCH = -32020;
/** A version that is not spoken here. */
export const UNSUPPORTED_VERSION = -32022;

/** What a request has to be answered as. */
export type Era = 'modern' | 'legacy';

/** The newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const MODERN_VERSION = '2026-07-28';

/** VERSIONS are all that are spoken, the newest first. */
export const VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

const LEGACY: ReadonlySet<string> = new Set(LEGACY_VERSIONS);

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/**
 * eraOf tells the era of a message, once what it says of itself agrees. Throws RpcError. Of a notification, whose sender
 * learns nothing from an answer, only the version is looked at.
 */
export function eraOf({ id, method, params }: Message, headers: McpHeaders): Era {
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
    throw mismatch('MCP-Protocol-Version', version, `params._meta says ${shown(claimed)}`);
  if (LEGACY.has(claimed)) return 'legacy';
  if (claimed !== MODERN_VERSION) throw unsupported(claimed);
  if (!isObject(meta![CAPABILITIES_KEY]))
    throw incomplete(`"${CAPABILITIES_KEY}" must be there, an object`);
  if (headers.method !== method)
    throw mismatch('Mcp-Method', headers.method, `the method is ${shown(method)}`);
  const tool = params['name'];
  if (method === 'tools/call' && typeof tool === 'string' && headers.name !== tool)
    throw mismatch('Mcp-Name', headers.sentName, `params.name is ${shown(tool)}`);
  return 'modern';
}

function unsupported(requested: string): RpcError {
  const message = `protocol version ${shown(requested)} is not supported: use one of ${VERSIONS.join(', ')}`;
  return new RpcError(UNSUPPORTED_VERSION, message, 400, { supported: VERSIONS, requested });
}

function incomplete(reason: string): RpcError {
  return new RpcError(INVALID_PARAMS, `params._meta: ${reason}`, 400);
}

function mismatch(header: string, sent: string | undefined, body: string): RpcError {
  const what = sent === undefined ? 'is missing' : `is ${shown(sent)}`;
  const message = `the header ${header} ${what}, but ${body}: they must be the same`;
  return new RpcError(HEADER_MISMATCH, message, 400);
}
