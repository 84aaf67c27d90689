/**
 * Reads the response to initialize: the protocol version for later requests, and whether the service is recent enough
 * for this adapter.
 */
import { fieldValue } from './era-headers.js';
import { isObject } from '../../base/json.js';

/** The first version of the service with an MCP endpoint. */
const FIRST = [2, 1, 0];

export interface Negotiation {
  /** The protocol version, encoded as a header value. */
  readonly version: string | undefined;
  readonly warning: string | undefined;
}

export function readNegotiation(response: unknown): Negotiation {
  const result = isObject(response) ? response['result'] : undefined;
  if (!isObject(result)) return { version: undefined, warning: undefined };
  const version = result['protocolVersion'];
  return {
    version: typeof version === 'string' ? fieldValue(version) : undefined,
    warning: warningOf(result['serverInfo']),
  };
}

function warningOf(server: unknown): string | undefined {
  // Other servers have version numbers of their own.
  if (!isObject(server) || server['name'] !== 'service') return undefined;
  const match = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(String(server['version']));
  if (match === null || !isBefore(match.slice(1).map(Number), FIRST)) return undefined;
  return `the service is ${match[0]}: this adapter needs ${FIRST.join('.')} or later`;
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const different = version.findIndex((part, i) => part !== other[i]);
  return different !== -1 && version[different]! < other[different]!;
}
