/**
 * From the Authorization header to a token. Refuses every scheme but Bearer, a token without one, and a header that
 * came twice: two readers of it could each see another caller.
 */
import { ServiceError } from '../errors.js';

/** Most characters of a token. */
export const MAX_TOKEN = 8 * 1024;

/** What stands for an Authorization header that came more than once: no header can hold it, and none is a token. */
const REPEATED = '\n';

const SCHEME = /^bearer(?: +|$)/i;

/** The characters that a credential may have (RFC 6750, section 2.1). */
const CREDENTIAL = /^[\w.~+/-]+=*$/;

/** addAuthorization adds the value of an Authorization header to what came before it (undefined: nothing). */
export function addAuthorization(before: string | undefined, value: string): string {
  return before === undefined ? value : REPEATED;
}

/** isRepeated tells whether there was more than one. */
export function isRepeated(value: string): boolean {
  return value === REPEATED;
}

/**
 * readBearer gives the token of an Authorization header. Throws ServiceError: `token_missing` when the value or its
 * token is empty, `invalid_token` for all that is no Bearer token of at most MAX_TOKEN characters.
 */
export function readBearer(value: string): string {
  if (value === '') throw new ServiceError('token_missing');
  const scheme = SCHEME.exec(value);
  if (scheme === null) throw new ServiceError('invalid_token');
  const token = value.slice(scheme[0].length);
  if (token === '') throw new ServiceError('token_missing');
  if (token.length > MAX_TOKEN || !CREDENTIAL.test(token)) throw new ServiceError('invalid_token');
  return token;
}
