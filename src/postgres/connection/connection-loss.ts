/** What becomes of the jobs in flight on a lost connection: jobs that cannot write, or have not begun, can run again. */
import type { ServiceError } from '../../base/errors.js';
import type { Detail } from '../../native/pipeline.js';
import type { Job } from '../statement/job.js';
import { hitAborted, reportedFailure, type Segment } from '../statement/segment.js';
import {
  connectionFailure,
  endsBackend,
  failureOf,
  RESOLUTION_UNKNOWN,
  type SqlFailure,
} from '../statement/sql-failure.js';

const LOST = 'the connection to the database was lost';

export interface Loss {
  /** The failure of the job at the head, if it is known. */
  readonly head?: SqlFailure | ServiceError | undefined;
  /** What the server ended the session with: nothing behind the head has begun. */
  readonly ended?: SqlFailure | undefined;
}

/** connectionLost is the failure of a job that did not take effect. */
export function connectionLost(): SqlFailure {
  return connectionFailure(LOST);
}

/** outcomeUnknown is the failure of a job that may have taken effect. */
export function outcomeUnknown(reason = LOST): SqlFailure {
  const message = `${reason}, and the statement may have taken effect`;
  return connectionFailure(message, RESOLUTION_UNKNOWN);
}

/** lossOf reads the last outcome of a connection, perhaps with a failure of the segment at the head. */
export function lossOf({ failure: fields, before = 0, ran }: Detail, head?: Segment): Loss {
  if (head === undefined || fields?.sqlState === undefined) return {};
  const failure = failureOf(fields);
  const ended = endsBackend(failure);
  // Behind a result PostgreSQL may have committed. A pooler, which names no routine, does not know what took effect.
  const known = ended
    ? ran !== true && head.job.statement.commits !== true
    : !failure.fatal && failure.routine !== undefined;
  // Only the head reports its failure: the message may hold what other callers must not see.
  return {
    head:
      known && !hitAborted(head, failure)
        ? reportedFailure(head, failure, before, ran === true)
        : undefined,
    ended: ended ? failure : undefined,
  };
}

/** failLost fails the jobs of a lost connection, apart from those that are returned to be run again. */
export function failLost(segments: readonly Segment[], { head, ended }: Loss): Job[] {
  const rerun: Job[] = [];
  segments.forEach(({ job }, i) => {
    const behind = i > 0;
    const harmless = job.cannotWrite || (behind && ended !== undefined);
    if (!behind && head !== undefined) job.failed(head);
    else if (behind && harmless && job.attempts < 2 && !job.abandoned) rerun.push(job);
    else job.failed(harmless ? (ended ?? connectionLost()) : outcomeUnknown());
  });
  return rerun;
}
