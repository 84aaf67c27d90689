/**
 * The identity under which a statement runs: the database role and the claims that are set before it, local to its own
 * transaction, so that they end with it. Which role a caller gets is decided where tokens are checked, and PostgreSQL
 * decides whether the connection may set it.
 */
import { ServiceError } from '../errors.js';
import type { Statement } from './job.js';
import type { SqlFailure } from './sql-failure.js';

/** What is set before a statement, in its transaction: its identity, and its own time limit. */
export interface Identity {
  /** The role; empty to keep that of the connection. */
  readonly role: string;
  /** The identity statement: one of seven, so that each is prepared once on a connection. */
  readonly statement: Statement;
  readonly values: readonly string[];
}

const ROLE = 'role';
const CLAIMS = 'request.jwt.claims';
const TIMEOUT = 'statement_timeout';

const SET_ROLE = settingStatement(ROLE);
const SET_CLAIMS = settingStatement(CLAIMS);
const SET_BOTH = settingStatement(ROLE, CLAIMS);

/** The statements that set a time limit too, by those that do not. */
const WITH_TIMEOUT: ReadonlyMap<Statement | undefined, Statement> = new Map([
  [undefined, settingStatement(TIMEOUT)],
  [SET_ROLE, settingStatement(ROLE, TIMEOUT)],
  [SET_CLAIMS, settingStatement(CLAIMS, TIMEOUT)],
  [SET_BOTH, settingStatement(ROLE, CLAIMS, TIMEOUT)],
]);

/** The statement that sets these settings to its parameters, local to the transaction. */
function settingStatement(...names: readonly string[]): Statement {
  // As a condition that is never true, so that no row is sent. No call returns NULL, so all are evaluated.
  const calls = names.map((name, i) => `set_config('${name}', $${i + 1}, true) IS NULL`);
  return { sql: `SELECT WHERE ${calls.join(' OR ')}`, recurs: true };
}

/**
 * identityOf makes a caller's identity: `role` unless it is empty, and `claims` (a JSON object; `{}` when it is empty)
 * unless they are undefined. Undefined when nothing is to be set.
 */
export function identityOf(role: string, claims: string | undefined): Identity | undefined {
  if (claims === undefined)
    return role === '' ? undefined : { role, statement: SET_ROLE, values: [role] };
  // An unset setting reads as NULL or as an empty text, which is not JSON: policies would fail on either.
  const text = claims === '' ? '{}' : claims;
  if (role === '') return { role, statement: SET_CLAIMS, values: [text] };
  return { role, statement: SET_BOTH, values: [role, text] };
}

/** withTimeout adds a time limit (ms), from which PostgreSQL ends the statement that follows. */
export function withTimeout(identity: Identity | undefined, timeout: number): Identity {
  const statement = WITH_TIMEOUT.get(identity?.statement)!;
  const values = [...(identity?.values ?? []), String(timeout)];
  return { role: identity?.role ?? '', statement, values };
}

/** IdentityRejected: there is no such role, or the connection is not a member of it. */
export class IdentityRejected extends ServiceError {
  readonly role: string;
  readonly failure: SqlFailure;

  constructor(role: string, failure: SqlFailure) {
    super('permission_denied');
    this.role = role;
    this.failure = failure;
  }
}

/** SQLSTATEs about the identity itself; others are about the connection, the server or a proxy between. */
const ABOUT_IDENTITY = /^(?:22023|28...|42501|42704)$/;

/** identityFailure is the failure of a statement that did not run because its identity could not be set. */
export function identityFailure(
  { role }: Identity,
  failure: SqlFailure,
): IdentityRejected | SqlFailure {
  if (ABOUT_IDENTITY.test(failure.state)) return new IdentityRejected(role, failure);
  return { ...failure, position: undefined }; // in the identity statement, not in the script
}
