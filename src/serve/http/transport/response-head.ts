/** Heads of responses: status lines with the header lines that follow from the status and the type of the body. */
import { STATUS_CODES } from 'node:http';
import { FINAL, JSON_BODY, NO_BODY, TEXT_BODY, XML_BODY } from '../../../messages/batch.js';

/** Type of a response whose own lines have the Content-Type, and all other lines that depend on the status. */
export const TYPED = 3;

/** Lines of responses with status 401 and with 503, unless they are TYPED or, for 503, FINAL. */
export const CHALLENGE = '\r\nWWW-Authenticate: Bearer';
export const RETRY_AFTER = '\r\nRetry-After: 1';

/** The line of every response to a request with a token, unless the route has another rule. */
export const NO_STORE = '\r\nCache-Control: no-store';

/** setPrivate lets nobody keep a response: neither a cache that callers share nor the caller's own. */
export function setPrivate(response: { lines: string }): void {
  response.lines = `${response.lines.replace(NO_STORE, '')}\r\nCache-Control: private, no-store`;
}

const heads: string[] = [];
const TYPES: Readonly<Record<number, string>> = {
  [JSON_BODY]: '\r\nContent-Type: application/json',
  [XML_BODY]: '\r\nContent-Type: application/xml',
  [NO_BODY]: '',
  [TYPED]: '',
  [TEXT_BODY]: '\r\nContent-Type: text/plain; charset=utf-8',
};

/** Types, including FINAL, are below this. */
const TYPE_COUNT = 16;

/** statusHead is the status line with its header lines, built once for each status and type: one native call. */
export function statusHead(status: number, type: number): string {
  const i = status * TYPE_COUNT + type;
  const known = heads[i];
  if (known !== undefined) return known;
  const retry = status === 503 && type !== TYPED && type < FINAL ? RETRY_AFTER : '';
  const challenge = status === 401 && type !== TYPED ? CHALLENGE : '';
  const made = `${status} ${STATUS_CODES[status] ?? 'Unknown'}${TYPES[type & ~FINAL] ?? ''}\r\nX-Content-Type-Options: nosniff${retry}${challenge}`;
  heads[i] = made;
  return made;
}

/** isBodiless tells whether responses with a status have neither a body nor a Content-Length. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}
