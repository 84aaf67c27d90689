/**
 * Messages for failures: what happened, and what to do about it. For responses other than JSON-RPC and for unreachable
 * endpoints. Text of the endpoint is shortened, and control characters are replaced.
 */
import type { IncomingMessage } from 'node:http';
import type { ServerEndpoint } from './endpoint.js';
import { isObject } from '../../base/json.js';
import { Timeout } from './http-client.js';

/** Most characters of the endpoint's text in a message. */
const MAX_REPEATED = 200;

export function networkFailure(error: unknown, { url }: ServerEndpoint): string {
  const place = `the endpoint ${addressOf(url)}`;
  if (error instanceof Timeout) return `${place} ${error.message}`;
  const { message, code = '' } = error as NodeJS.ErrnoException;
  return `${place} ${REASONS.get(code) ?? reasonOf(code, message)}`;
}

const CLOSED = 'closed the connection before its answer was complete; try again';

const REASONS = new Map([
  ['ECONNREFUSED', 'refuses connections: is the service running, and is SERVICE_MCP_URL right?'],
  ['ENOTFOUND', 'has a host that no name server knows: check SERVICE_MCP_URL'],
  ['EAI_AGAIN', 'has a host whose name cannot be looked up now: is the network up?'],
  ['EHOSTUNREACH', 'cannot be reached: is the network up?'],
  ['ENETUNREACH', 'cannot be reached: is the network up?'],
  ['ETIMEDOUT', 'cannot be reached: the connection timed out'],
  ['ECONNRESET', CLOSED],
  ['EPIPE', CLOSED],
]);

function reasonOf(code: string, message: string): string {
  const words = plain(code === '' ? message : code);
  if (/CERT|SELF_SIGNED|VERIFY|UNABLE_TO_GET_ISSUER/.test(code))
    return `has a certificate that is not trusted (${words}): NODE_EXTRA_CA_CERTS names a file with its authority`;
  if (/^(HPE_|EPROTO|ERR_SSL)/.test(code))
    return `does not speak as its address says (${words}): http or https?`;
  return `failed: ${words}`;
}

/** redirectFailure is the message for a redirect: it names the target. */
export function redirectFailure(
  { statusCode, headers }: IncomingMessage,
  { url }: ServerEndpoint,
): string {
  const base = `the endpoint ${addressOf(url)} redirects (HTTP ${statusCode ?? 0})`;
  const place = headers.location;
  if (place === undefined || !URL.canParse(place, url.href))
    return `${base}: check SERVICE_MCP_URL`;
  const { origin, pathname } = new URL(place, url.href);
  return `${base}; redirects are not followed: set SERVICE_MCP_URL to ${plain(origin + pathname)}`;
}

export function httpFailure(
  { statusCode = 0, headers }: IncomingMessage,
  body: Buffer,
  { url, authorization }: ServerEndpoint,
): string {
  const place = `the endpoint ${addressOf(url)}`;
  const words = errorMessage(body);
  const said = `HTTP ${statusCode}${words === '' ? '' : `, ${words}`}`;
  switch (statusCode) {
    case 401:
      return authorization === undefined
        ? `${place} wants a token (${said}): set SERVICE_MCP_TOKEN`
        : `${place} does not accept the token (${said}): set SERVICE_MCP_TOKEN to one that is valid`;
    case 403:
      return `${place} does not permit this (${said})`;
    case 404:
      return `${place} does not exist (${said}): check SERVICE_MCP_URL; a service older than 2.1.0 has none`;
    case 413:
      return `the message is too large for ${place} (${said})`;
    case 429:
    case 503: {
      const seconds = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0];
      return `${place} is busy (${said}): try again ${seconds === undefined ? 'later' : `in ${seconds} s`}`;
    }
    case 502:
    case 504:
      return `${place} gave no answer in time or lost it (${said}): try again`;
    default:
      return statusCode >= 500
        ? `${place} failed (${said}): the service's log says why`
        : `${place} gave no JSON-RPC answer (${said}): is SERVICE_MCP_URL right?`;
  }
}

/** The address without its query, which may hold a secret. */
function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** The message in the error body of a service, or an empty text. */
function errorMessage(body: Buffer): string {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) && typeof value['error'] === 'string' ? plain(value['error']) : '';
  } catch {
    return '';
  }
}

function plain(text: string): string {
  return text
    .slice(0, MAX_REPEATED)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\uFFFD');
}
