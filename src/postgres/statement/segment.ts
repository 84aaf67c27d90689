/**
 * A segment: a job on its way through a connection's pipeline, with its identity statement, the statements before its own, the
 * Parse of each statement to be prepared, and a sync. Writes it, and reads what a failure in it means.
 */
import { ServiceError } from '../../base/errors.js';
import { DATABASE } from '../../observe/metrics/catalogue.js';
import { BODY, ROWS, VALUE, type Pipeline } from '../../native/pipeline.js';
import { identityFailure } from './identity.js';
import type { EarlierStatement, Job, Statement } from './job.js';
import type { PreparedStatements } from './prepared-statements.js';
import { isInAborted, isStale, isUnnamedGone, type SqlFailure } from './sql-failure.js';

const FORMS = { rows: ROWS, value: VALUE, body: BODY } as const;

/** A statement of a segment before its job's own. */
interface SentStatement {
  readonly statement: Statement;
  /** Name that it is prepared under; '' for none. */
  readonly name: string;
  /** Whether the segment contains its Parse. */
  readonly parses: boolean;
}

const NONE: readonly SentStatement[] = [];

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
  /** The statements before its own. */
  readonly before: readonly SentStatement[];
  /** Name that its identity statement is prepared under; '' without one, or when it is not prepared. */
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
  if (inExplicit) pipeline.precede('', `BEGIN ${job.rolledBack!}`, []);
  else if (job.rolledBack !== undefined) pipeline.readOnly();
  let identityName = '';
  let parsesIdentity = false;
  if (identity !== undefined) {
    const known = prepared.identities.find(identity.statement);
    identityName = known ?? prepared.parseIdentity(identity.statement);
    parsesIdentity = known === undefined && identityName !== '';
    pipeline.precede(identityName, identity.statement.sql, identity.values);
  }
  const before =
    job.before === undefined
      ? NONE
      : job.before.map((one) => writeEarlier(pipeline, prepared, one));
  let name = '';
  let parses = true;
  let sent: boolean;
  if (job.form === 'description') {
    pipeline.prepare('', statement.sql);
    sent = pipeline.describe('');
  } else {
    const known = prepared.statements.find(statement);
    name = known ?? prepared.parse(statement);
    parses = known === undefined && name !== '';
    sent = pipeline.send(name, statement.sql, job.values, FORMS[job.form]);
  }
  if (!sent) return undefined;
  return {
    job,
    sentAt: now,
    expected: job.cost?.time ?? 0,
    name,
    parses,
    before,
    identityName,
    parsesIdentity,
    inExplicit,
    inAborted: false,
  };
}

function writeEarlier(
  pipeline: Pipeline,
  prepared: PreparedStatements,
  { statement, values }: EarlierStatement,
): SentStatement {
  const known = prepared.statements.find(statement);
  const name = known ?? prepared.parse(statement);
  pipeline.precede(name, statement.sql, values, true);
  return { statement, name, parses: known === undefined && name !== '' };
}

/** countUses counts how a connection found the statements of a segment's job; `counts` is its database's row of DATABASES. */
export function countUses(counts: Float64Array, { name, parses, before }: Segment): void {
  counts[useOf(name, parses)]! += 1;
  if (before !== NONE) for (const one of before) counts[useOf(one.name, one.parses)]! += 1;
}

function useOf(name: string, parses: boolean): number {
  const { prepared, new: added, unprepared } = DATABASE.uses;
  if (name === '') return unprepared;
  return parses ? added : prepared;
}

/** parsesAny tells whether a segment contains a Parse of a statement of its job. */
export function parsesAny({ parses, before }: Segment): boolean {
  return parses || (before !== NONE && before.some((one) => one.parses));
}

/** lastUnnamed is the last statement of a segment that is not prepared by name: PostgreSQL keeps its text until the next one. */
export function lastUnnamed({ job, name, before }: Segment): Statement | undefined {
  if (name === '') return job.statement;
  return before === NONE ? undefined : before.findLast((one) => one.name === '')?.statement;
}

/** How many results precede the result of the job's statement, apart from its identity's. */
function resultsBefore({ parses, before }: Segment): number {
  let results = parses ? 1 : 0;
  for (const one of before) results += one.parses ? 2 : 1;
  return results;
}

/** failedInIdentity tells whether a segment failed in its identity: `missing` results before its statement's own. */
function failedInIdentity(segment: Segment, missing: number): boolean {
  return missing > resultsBefore(segment);
}

/** Which of the statements failed: an index of `before`, or its length for the job's own. */
function failedAt({ parses, before }: Segment, missing: number): number {
  let left = missing - (parses ? 1 : 0);
  let i = before.length;
  while (left > 0 && i > 0) left -= before[--i]!.parses ? 2 : 1;
  return i;
}

/** failedStatement is the statement in which a segment failed, and its name; the job's own if it failed in its identity. */
export function failedStatement(
  segment: Segment,
  missing: number,
): Pick<SentStatement, 'statement' | 'name'> {
  const { job, name, before } = segment;
  const inIdentity = failedInIdentity(segment, missing);
  const earlier = inIdentity ? undefined : before[failedAt(segment, missing)];
  return earlier ?? { statement: job.statement, name };
}

/**
 * reportedFailure is the failure that a job reports: its identity's when this could not be set. `ran` tells whether the
 * job's statement had run, so that the commit failed.
 */
export function reportedFailure(
  segment: Segment,
  failure: SqlFailure | ServiceError,
  missing: number,
  ran: boolean,
): SqlFailure | ServiceError {
  const { job, before } = segment;
  if (failure instanceof ServiceError) return failure;
  if (job.identity !== undefined && failedInIdentity(segment, missing))
    return identityFailure(job.identity, failure);
  if (before.length === 0) return failure;
  return { ...failure, part: ran ? before.length + 1 : failedAt(segment, missing) };
}

/** hitAborted tells whether a segment failed only because its transaction was aborted. */
export function hitAborted(
  { inAborted, name, before, identityName }: Segment,
  failure: SqlFailure,
): boolean {
  if (!inAborted) return false;
  // Names whose Parse was in that transaction do not exist.
  return (
    isInAborted(failure) ||
    isStaleName(failure, name) ||
    isStaleName(failure, identityName) ||
    before.some((one) => isStaleName(failure, one.name))
  );
}

function isStaleName(failure: SqlFailure, name: string): boolean {
  return name !== '' && isStale(failure, name);
}

/** dropAborted drops the names whose Parse is in the transaction that was aborted. */
export function dropAborted(
  { job, name, parses, before, identityName, parsesIdentity }: Segment,
  { statements, identities }: PreparedStatements,
): void {
  if (parses) statements.remove(job.statement, name);
  for (const one of before) if (one.parses) statements.remove(one.statement, one.name);
  if (parsesIdentity) identities.remove(job.identity!.statement, identityName);
}

/**
 * dropUnknown drops the names that a segment's failure, `missing` results before its statement's own, shows to be unknown
 * to PostgreSQL. Returns whether it failed because one is stale: nothing has run, or it is rolled back.
 */
export function dropUnknown(
  segment: Segment,
  failure: SqlFailure | ServiceError,
  missing: number,
  { statements, identities }: PreparedStatements,
): boolean {
  const { job, name, parses, before, identityName } = segment;
  if (parses && missing > 0) statements.remove(job.statement, name);
  let results = parses ? 1 : 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const one = before[i]!;
    results += one.parses ? 2 : 1;
    if (one.parses && missing >= results) statements.remove(one.statement, one.name);
  }
  const inIdentity = missing > results;
  const failed = inIdentity ? identityName : failedStatement(segment, missing).name;
  const stale =
    'state' in failure &&
    (isStaleName(failure, failed) || (job.form === 'description' && isUnnamedGone(failure)));
  // Its name is gone from the server, or its own Parse failed; another may have replaced it by now.
  if (inIdentity && (stale || missing > results + 1))
    identities.remove(job.identity!.statement, identityName);
  return stale;
}
