/**
 * What the answer to initialize agrees on: the version that later requests name, and whether the service is one this
 * adapter was made for.
 */
import { fieldValue, isObject } from './era-headers.js';

/** The first version of the service with an endpoint. */
const FIRST = [2, 1, 0];

export interface Negotiation {
  /** The protocol's version, as a header carries it. */
  readonly version: string | undefined;
  /** What to say of the service. */
  readonly warning: string | undefined;
}

/** readNegotiation reads an answer to initialize. */
export function readNegotiation(reply: unknown): Negotiation {
  const result = isObject(reply) ? reply['result'] : undefined;
  if (!isObject(result)) return { version: undefined, warning: undefined };
  const version = result['protocolVersion'];
  return {
    version: typeof version === 'string' ? fieldValue(version) : undefined,
    warning: warningOf(result['serverInfo']),
  };
}

function warningOf(server: unknown): string | undefined {
  // Other servers count their versions otherwise.
  if (!isObject(server) || server['name'] !== 'service') return undefined;
  const match = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(String(server['version']));
  if (match === null || !isBefore(match.slice(1).map(Number), FIRST)) return undefined;
  return `the service is ${match[0]}: this adapter needs ${FIRST.join('.')} or later`;
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  const different = version.findIndex((part, i) => part !== other[i]);
  return different !== -1 && version[different]! < other[different]!;
}
