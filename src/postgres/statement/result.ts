/** Reads the outcome of a statement, as the pipeline reports it, into a result. */
import type { Detail, PipelineResult } from '../../native/pipeline.js';
import type { Job, ResultForm, StatementResult } from './job.js';
import { RESOLUTION_UNKNOWN, type SqlFailure } from './sql-failure.js';

/** Command tags of statements with effects beyond their own; scripts with these are also rejected before they run. */
const STATEFUL =
  /^(BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PREPARE|DEALLOCATE|SET|RESET|DISCARD|LISTEN|DECLARE|LOAD)/;

/** isDetail tells whether an outcome is more than a value or a tag. */
export function isDetail(outcome: PipelineResult): outcome is Detail {
  return typeof outcome === 'object' && outcome !== null && !('length' in outcome);
}

/**
 * readOutcome reads an outcome that is no failure; `jsonRows` is the number of rows in its single value. Undefined when the
 * result is larger than allowed.
 */
export function readOutcome(
  outcome: PipelineResult,
  form: ResultForm,
  jsonRows: number,
): StatementResult | SqlFailure | undefined {
  if (!isDetail(outcome)) {
    if (typeof outcome === 'number') return singleValue(null, outcome, jsonRows);
    if (form !== 'rows') return singleValue(outcome, undefined, jsonRows);
    // A command without rows has nothing else.
    return rowsResult(outcome as string, undefined, undefined);
  }
  if (outcome.tooLarge) return undefined;
  const { tag, columns, rows } = outcome;
  if (tag === undefined) {
    const { description } = outcome;
    return description === undefined
      ? { state: RESOLUTION_UNKNOWN, message: 'the database sent no result', fatal: true }
      : { ...rowsResult('', undefined, undefined), description };
  }
  if (tag === '') return { state: '42601', message: 'the statement is empty', fatal: false };
  return rowsResult(tag, columns, rows);
}

function singleValue(
  value: StatementResult['value'],
  place: number | undefined,
  affected: number,
): StatementResult {
  return { value, place, tag: '', affected, columns: undefined, rows: undefined };
}

function rowsResult(
  tag: string,
  columns: StatementResult['columns'],
  rows: StatementResult['rows'],
): StatementResult {
  const affected = tag === '' ? 0 : affectedBy(tag);
  return { value: null, place: undefined, tag, affected, columns, rows };
}

/** countRows returns the number of rows to report for a result; undefined if neither the job nor its form gives one. */
export function countRows(job: Job, result: StatementResult): number | undefined {
  if (job.rowsOf !== undefined) return job.rowsOf(result);
  return job.form === 'rows' ? result.affected : undefined;
}

/** statefulTag is the command tag of a job's statement, or of one before it, that leaves a state on the connection. */
export function statefulTag(tag: string, outcome: PipelineResult): string | undefined {
  if (leavesState(tag)) return tag;
  return isDetail(outcome) ? outcome.tags?.find(leavesState) : undefined;
}

function leavesState(tag: string): boolean {
  return tag !== '' && STATEFUL.test(tag);
}

/** The number at the end of a command tag: rows inserted, updated, deleted or returned. */
function affectedBy(tag: string): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0;
}
