/**
 * Reads the token from the Authorization header. Refuses every scheme but Bearer, a token without a scheme, and a repeated
 * header: a proxy and this service could each read a different one.
 */
import { ServiceError } from '../../base/errors.js';

/** Maximum length of a token, in characters. */
export const MAX_TOKEN = 8 * 1024;

/** Stands for a repeated Authorization header: no header value can contain it. */
const REPEATED = '\n';

const SCHEME = /^bearer(?: +|$)/i;

/** Syntax of a token (RFC 6750, section 2.1). */
const CREDENTIAL = /^[\w.~+/-]+=*$/;

/** addAuthorization combines an Authorization header with an earlier one of the same request, if any. */
export function addAuthorization(before: string | undefined, value: string): string {
  return before === undefined ? value : REPEATED;
}

/** isRepeated tells whether addAuthorization was called for several headers. */
export function isRepeated(value: string): boolean {
  return value === REPEATED;
}

/**
 * readBearer returns the token of an Authorization header. Throws ServiceError: `token_missing` when the value or its
 * token is empty, `invalid_token` when it is not a Bearer token of at most MAX_TOKEN characters.
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
