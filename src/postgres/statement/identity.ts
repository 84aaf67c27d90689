/**
 * The identity under which a statement runs: the database role and the claims that are set before it, local to its own
 * transaction, so that they end with it. Which role a caller gets is decided where tokens are checked, and PostgreSQL
 * decides whether the connection may set it. Statements of the service itself have `search_path = pg_catalog`, in which no
 * user can create operators or functions (pg_temp, which PostgreSQL searches in any case, comes last), and run without JIT
 * compilation, which takes longer than they do.
 */
import { ServiceError } from '../../base/errors.js';
import type { EarlierStatement, Statement } from './job.js';
import type { SqlFailure } from './sql-failure.js';

/** The settings before a statement, in its transaction: its identity, its own time limit, its trace, its search path. */
export interface Identity {
  /** The role; empty to keep the connection's. */
  readonly role: string;
  /** The identity statement: one of a fixed set, so that each is prepared once on a connection. */
  readonly statement: Statement;
  readonly values: readonly string[];
}

/** The settings, each with a bit: which of them an identity statement sets is a sum of these. */
const ROLE = 1;
const CLAIMS = 2;
const TIMEOUT = 4;
const NAME = 8;
const JIT = 16;
const PATH = 32;
const SETTINGS: readonly (readonly [bit: number, name: string])[] = [
  [ROLE, 'role'],
  [CLAIMS, 'request.jwt.claims'],
  [TIMEOUT, 'statement_timeout'],
  [NAME, 'application_name'],
];

/** The setting that has the search path of the connection, as long as another one is set. */
const SCRIPTS_PATH = 'service.search_path';

/** Settings without a parameter, in the order of their calls. Not every engine knows `jit`. */
const FIXED: readonly (readonly [bit: number, call: string])[] = [
  [
    JIT,
    "CASE WHEN pg_catalog.current_setting('jit', true) IS NULL THEN '' ELSE pg_catalog.set_config('jit', 'off', true) END",
  ],
  [
    PATH,
    `pg_catalog.set_config('${SCRIPTS_PATH}', pg_catalog.current_setting('search_path'), true)`,
  ],
  [PATH, "pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)"],
];

/** The identity statements, by the settings that they set; the first sets nothing. */
const STATEMENTS: readonly Statement[] = Array.from({ length: 64 }, (_, bits) =>
  settingStatement(bits),
);

/** The settings of each of them. */
const BITS: ReadonlyMap<Statement, number> = new Map(STATEMENTS.map((one, bits) => [one, bits]));

/** The statement that sets these settings, local to the transaction. It is parsed with the search path of scripts. */
function settingStatement(bits: number): Statement {
  const chosen = ([bit]: readonly [number, string]): boolean => (bits & bit) !== 0;
  const calls = SETTINGS.filter(chosen).map(
    ([, name], i) => `pg_catalog.set_config('${name}', $${i + 1}, true)`,
  );
  calls.push(...FIXED.filter(chosen).map(([, call]) => call));
  // As a condition that is never true, so that no row is sent. No call returns NULL, so all are evaluated. CockroachDB takes
  // no empty list of columns.
  return {
    sql: `SELECT 1 WHERE ${calls.map((call) => `${call} IS NULL`).join(' OR ')}`,
    recurs: true,
  };
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

/** withoutJit has the statement that follows run without JIT compilation. */
export function withoutJit(identity: Identity | undefined): Identity {
  return withFixed(identity, JIT);
}

/** asOwn is the identity of a statement of the service itself, which reads catalogs or tables of the service. */
export function asOwn(identity: Identity | undefined): Identity {
  return withFixed(identity, JIT | PATH);
}

/** OWN has what asOwn adds for the statements behind it, where a statement of a script is in the same transaction. */
export const OWN: EarlierStatement = { statement: STATEMENTS[JIT | PATH]!, values: [] };

/** SEARCH_PATH_OF_SCRIPTS is SQL for the search path of scripts, in a statement of the service itself. */
export const SEARCH_PATH_OF_SCRIPTS = `pg_catalog.current_setting('${SCRIPTS_PATH}')`;

/**
 * asScriptsSee is an expression of a statement of the service itself whose value depends on the search path (names of types,
 * for example): its value is that for scripts. The names in it have been looked up when PostgreSQL has parsed it.
 */
export function asScriptsSee(sql: string): string {
  return `CASE WHEN (SELECT pg_catalog.set_config('search_path', ${SEARCH_PATH_OF_SCRIPTS}, true)) IS NOT NULL THEN ${sql} END`;
}

function withFixed(identity: Identity | undefined, fixed: number): Identity {
  const bits = identity === undefined ? 0 : BITS.get(identity.statement)!;
  const { role, values } = identity ?? { role: '', values: [] };
  return { role, statement: STATEMENTS[bits | fixed]!, values };
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
