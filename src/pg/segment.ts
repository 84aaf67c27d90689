/**
 * A segment: a job on its way through a connection's pipeline, with its identity statement, the Parse of what is to be
 * prepared, and a sync. Writes it, and reads what a failure in it means.
 */
import { ServiceError } from '../errors.js';
import { BODY, ROWS, VALUE, type Pipeline } from '../native/pipeline.js';
import { identityFailure } from './identity.js';
import type { Job } from './job.js';
import type { PreparedStatements } from './prepared-statements.js';
import { isInAborted, isStale, type SqlFailure } from './sql-failure.js';

const FORMS = { rows: ROWS, value: VALUE, body: BODY } as const;

export interface Segment {
  readonly job: Job;
  /** When it was sent, ms. */
  readonly sentAt: number;
  /** How long it is expected to take, ms. */
  readonly expected: number;
  /** Name that its statement is prepared under; '' for none. */
  readonly name: string;
  /** Whether it contains the Parse of its statement. */
  readonly parses: boolean;
  /** Name that its identity statement is prepared under; '' when that is not prepared, or there is none. */
  readonly identityName: string;
  /** Whether it contains the Parse of its identity statement. */
  readonly parsesIdentity: boolean;
  /** Whether a ROLLBACK follows it in a segment of its own, so that its failure does not affect later segments. */
  readonly inExplicit: boolean;
  /** Whether an earlier segment aborted its transaction, so that it does not run. */
  inAborted: boolean;
}

/**
 * writeSegment writes a job into the pipeline; undefined when the connection is lost. Whatever of a segment cannot be
 * written, the pipeline then does not send the statement behind it either.
 */
export function writeSegment(
  pipeline: Pipeline,
  prepared: PreparedStatements,
  job: Job,
  now: number,
  inExplicit: boolean,
): Segment | undefined {
  const { statement, identity } = job;
  if (inExplicit) pipeline.precede('', 'BEGIN READ ONLY', []);
  else if (job.readOnly) pipeline.readOnly();
  let identityName = '';
  let parsesIdentity = false;
  if (identity !== undefined) {
    const known = prepared.identities.find(identity.statement);
    identityName = known ?? prepared.parseIdentity(identity.statement);
    parsesIdentity = known === undefined && identityName !== '';
    pipeline.precede(identityName, identity.statement.sql, identity.values);
  }
  if (job.parsed !== undefined) pipeline.prepare('', job.parsed);
  const known = prepared.statements.find(statement);
  const name = known ?? prepared.parse(statement);
  const sent = pipeline.send(name, statement.sql, job.values, FORMS[job.form]);
  if (!sent) return undefined;
  return {
    job,
    sentAt: now,
    expected: job.cost?.time ?? 0,
    name,
    parses: known === undefined && name !== '',
    identityName,
    parsesIdentity,
    inExplicit,
    inAborted: false,
  };
}

/** failedInIdentity tells whether a segment failed in its identity: `missing` results before that of its statement. */
function failedInIdentity({ parses }: Segment, missing: number): boolean {
  return missing > (parses ? 1 : 0);
}

/** reportedFailure is the failure that a job reports: that of its identity when this could not be set. */
export function reportedFailure<F extends SqlFailure | ServiceError>(
  segment: Segment,
  failure: F,
  missing: number,
): F | ReturnType<typeof identityFailure> {
  const { identity } = segment.job;
  if (identity === undefined || failure instanceof ServiceError) return failure;
  return failedInIdentity(segment, missing) ? identityFailure(identity, failure) : failure;
}

/** hitAborted tells whether a segment failed only because its transaction was aborted. */
export function hitAborted(
  { inAborted, name, identityName }: Segment,
  failure: SqlFailure,
): boolean {
  if (!inAborted) return false;
  // Names whose Parse was in that transaction do not exist.
  return isInAborted(failure) || isStaleName(failure, name) || isStaleName(failure, identityName);
}

function isStaleName(failure: SqlFailure, name: string): boolean {
  return name !== '' && isStale(failure, name);
}

/** dropAborted drops the names whose Parse is in the transaction that was aborted. */
export function dropAborted(
  { job, name, parses, identityName, parsesIdentity }: Segment,
  { statements, identities }: PreparedStatements,
): void {
  if (parses) statements.remove(job.statement, name);
  if (parsesIdentity) identities.remove(job.identity!.statement, identityName);
}

/**
 * dropUnknown drops the names that a segment's failure, `missing` results before that of its statement, shows to be unknown
 * to PostgreSQL. Returns whether it failed, without running, because one is stale.
 */
export function dropUnknown(
  segment: Segment,
  failure: SqlFailure | ServiceError,
  missing: number,
  { statements, identities }: PreparedStatements,
): boolean {
  const { job, name, parses, identityName } = segment;
  if (parses && missing > 0) statements.remove(job.statement, name);
  const inIdentity = failedInIdentity(segment, missing);
  const stale = 'state' in failure && isStaleName(failure, inIdentity ? identityName : name);
  // Its name is gone from the server, or its own Parse failed; another may have replaced it by now.
  if (inIdentity && (stale || missing > (parses ? 2 : 1)))
    identities.remove(job.identity!.statement, identityName);
  return stale;
}
