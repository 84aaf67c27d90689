/**
 * Whose rights a statement runs with: the database role and the claims that are set before it, in the transaction that
 * it shares with nothing else, so that they end with it. Refuses nothing; which role a caller may have is decided where
 * tokens are checked, and PostgreSQL has the last word.
 */
import { ServiceError } from '../errors.js';
import type { Statement } from './job.js';
import type { SqlFailure } from './sql-failure.js';

/** Identity is what is set before a statement. */
export interface Identity {
  /** The role; empty when that of the connection stays. */
  readonly role: string;
  /** The statement that sets it: one of three, so that each is prepared once on a connection. */
  readonly statement: Statement;
  readonly values: readonly string[];
}

// As a condition that is never true: no row to send, to read and to forget. Neither call ever gives NULL, so both run.
const ROLE = "set_config('role', $1, true) IS NULL";
const SET_ROLE = preset(`SELECT WHERE ${ROLE}`);
const SET_CLAIMS = preset("SELECT WHERE set_config('request.jwt.claims', $1, true) IS NULL");
const SET_BOTH = preset(
  `SELECT WHERE ${ROLE} OR set_config('request.jwt.claims', $2, true) IS NULL`,
);

function preset(sql: string): Statement {
  return { sql, recurs: true };
}

/**
 * identityOf is what to set for a caller: `role` unless it is empty; `claims`, a JSON object (`{}` when it is empty),
 * unless it is undefined. Undefined when nothing is to be set.
 */
export function identityOf(role: string, claims: string | undefined): Identity | undefined {
  if (claims === undefined)
    return role === '' ? undefined : { role, statement: SET_ROLE, values: [role] };
  // A setting that was never made reads as NULL or as an empty text, which is no JSON: policies would fail on either.
  const text = claims === '' ? '{}' : claims;
  if (role === '') return { role, statement: SET_CLAIMS, values: [text] };
  return { role, statement: SET_BOTH, values: [role, text] };
}

/** IdentityRefused is PostgreSQL's refusal of an identity: there is no such role, or the connection may not become it. */
export class IdentityRefused extends ServiceError {
  readonly role: string;
  readonly failure: SqlFailure;

  constructor(role: string, failure: SqlFailure) {
    super('permission_denied');
    this.role = role;
    this.failure = failure;
  }
}

/** The SQLSTATEs that are about what was to be set; others are about the connection, the server or what is between. */
const ABOUT_IDENTITY = /^(?:22023|28...|42501|42704)$/;

/** identityFailure is how a statement ends whose identity could not be set, so that it did not run. */
export function identityFailure(
  { role }: Identity,
  failure: SqlFailure,
): IdentityRefused | SqlFailure {
  if (ABOUT_IDENTITY.test(failure.state)) return new IdentityRefused(role, failure);
  return { ...failure, position: undefined }; // a place in our text, not in the script
}
