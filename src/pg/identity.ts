/**
 * The identity under which a statement runs: the database role and the claims that are set before it, local to its own
 * transaction, so that they end with it. Which role a caller gets is decided where tokens are checked, and PostgreSQL
 * decides whether the connection may set it.
 */
import { ServiceError } from '../errors.js';
import type { Statement } from './job.js';
import type { SqlFailure } from './sql-failure.js';

/** What is set before a statement, in its transaction: its identity, its own time limit, its trace. */
export interface Identity {
  /** The role; empty to keep that of the connection. */
  readonly role: string;
  /** The identity statement: one of fifteen, so that each is prepared once on a connection. */
  readonly statement: Statement;
  readonly values: readonly string[];
}

/** The settings, each with a bit: which of them an identity statement sets is a sum of these. */
const ROLE = 1;
const CLAIMS = 2;
const TIMEOUT = 4;
const NAME = 8;
const SETTINGS: readonly (readonly [bit: number, name: string])[] = [
  [ROLE, 'role'],
  [CLAIMS, 'request.jwt.claims'],
  [TIMEOUT, 'statement_timeout'],
  [NAME, 'application_name'],
];

/** The identity statements, by the settings that they set; the first is none. */
const STATEMENTS: readonly Statement[] = Array.from({ length: 16 }, (_, bits) =>
  settingStatement(SETTINGS.filter(([bit]) => (bits & bit) !== 0).map(([, name]) => name)),
);

/** The settings of each of them. */
const BITS: ReadonlyMap<Statement, number> = new Map(STATEMENTS.map((one, bits) => [one, bits]));

/** The statement that sets these settings to its parameters, local to the transaction. */
function settingStatement(names: readonly string[]): Statement {
  // As a condition that is never true, so that no row is sent. No call returns NULL, so all are evaluated. CockroachDB takes
  // no empty list of columns.
  const calls = names.map((name, i) => `set_config('${name}', $${i + 1}, true) IS NULL`);
  return { sql: `SELECT 1 WHERE ${calls.join(' OR ')}`, recurs: true };
}

/**
 * identityOf makes a caller's identity: `role` unless it is empty, and `claims` (a JSON object; `{}` when it is empty)
 * unless they are undefined. Undefined when nothing is to be set.
 */
export function identityOf(role: string, claims: string | undefined): Identity | undefined {
  if (claims === undefined)
    return role === '' ? undefined : { role, statement: STATEMENTS[ROLE]!, values: [role] };
  // An unset setting reads as NULL or as an empty text, which is not JSON: policies would fail on either.
  const text = claims === '' ? '{}' : claims;
  if (role === '') return { role, statement: STATEMENTS[CLAIMS]!, values: [text] };
  return { role, statement: STATEMENTS[ROLE | CLAIMS]!, values: [role, text] };
}

/** withTimeout adds a time limit (ms), from which PostgreSQL ends the statement that follows. */
export function withTimeout(identity: Identity | undefined, timeout: number): Identity {
  return withSetting(identity, TIMEOUT, String(timeout));
}

/** withTraceId adds a trace id to the name of the connection (`application_name`), where monitoring sees it. */
export function withTraceId(identity: Identity | undefined, traceId: string): Identity {
  return withSetting(identity, NAME, `sql-rest-service ${traceId}`);
}

/** Adds a setting that the identity does not have. */
function withSetting(identity: Identity | undefined, bit: number, value: string): Identity {
  const bits = identity === undefined ? 0 : BITS.get(identity.statement)!;
  const values = [...(identity?.values ?? [])];
  const before = SETTINGS.filter(([other]) => other < bit && (bits & other) !== 0).length;
  values.splice(before, 0, value);
  return { role: identity?.role ?? '', statement: STATEMENTS[bits | bit]!, values };
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
