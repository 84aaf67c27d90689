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

// As a condition that is never true, so that no row is sent. Neither call returns NULL, so both are evaluated.
const ROLE = "set_config('role', $1, true) IS NULL";
const SET_ROLE = identityStatement(`SELECT WHERE ${ROLE}`);
const SET_CLAIMS = identityStatement(
  "SELECT WHERE set_config('request.jwt.claims', $1, true) IS NULL",
);
const SET_BOTH = identityStatement(
  `SELECT WHERE ${ROLE} OR set_config('request.jwt.claims', $2, true) IS NULL`,
);

/** The statements that set a time limit too, by those that do not. */
const WITH_TIMEOUT: ReadonlyMap<Statement | undefined, Statement> = new Map([
  [undefined, identityStatement(`SELECT WHERE ${timeoutSet(1)}`)],
  ...[SET_ROLE, SET_CLAIMS, SET_BOTH].map((statement): [Statement, Statement] => [
    statement,
    identityStatement(`${statement.sql} OR ${timeoutSet(statement === SET_BOTH ? 3 : 2)}`),
  ]),
]);

function timeoutSet(parameter: number): string {
  return `set_config('statement_timeout', $${parameter}, true) IS NULL`;
}

function identityStatement(sql: string): Statement {
  return { sql, recurs: true };
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
