/**
 * Why tokens are refused. A caller gets the code of a reason, which several reasons share; the reason itself is counted for
 * metrics, and neither sent nor logged.
 */
import { ServiceError, type ErrorCode, type ErrorDetails } from '../../base/errors.js';
import { REFUSED_TOKENS, TOKENS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';

export type RefusalReason = keyof typeof REFUSED_TOKENS;

const CODES: Readonly<Record<RefusalReason, ErrorCode>> = {
  missing: 'token_missing',
  malformed: 'invalid_token',
  algorithm: 'invalid_token',
  key_unknown: 'invalid_claims',
  signature: 'invalid_claims',
  expired: 'invalid_claims',
  not_yet_valid: 'invalid_claims',
  issuer: 'invalid_claims',
  audience: 'invalid_claims',
  claims: 'invalid_claims',
  keys_unavailable: 'busy',
  queue_full: 'busy',
  internal: 'internal',
};

/** refusal counts a refused token, and returns the error for its caller. */
export function refusal(
  reason: RefusalReason,
  message?: string,
  details?: ErrorDetails,
): ServiceError {
  if (reason !== 'missing') counts[TOKENS.refused]! += 1;
  counts[REFUSED_TOKENS[reason]]! += 1;
  return new ServiceError(CODES[reason], message, details);
}
