/** Reads the outcome of a statement, as the pipeline gives it, into a result. */
import type { Detail, LargeValue, Outcome } from '../native/pipeline.js';
import type { ResultForm, StatementResult } from './job.js';
import type { SqlFailure } from './sql-failure.js';

/** isDetail tells whether an outcome is more than a value or a tag. */
export function isDetail(outcome: Outcome): outcome is Detail {
  return typeof outcome !== 'string' && outcome !== null && !isLarge(outcome);
}

/** isLarge tells a large value from a detail. */
function isLarge(value: LargeValue | Detail): value is LargeValue {
  return 'length' in value;
}

/** readOutcome reads an outcome that is no failure. Undefined when the result is larger than allowed. */
export function readOutcome(
  outcome: Outcome,
  form: ResultForm,
): StatementResult | SqlFailure | undefined {
  if (!isDetail(outcome)) {
    if (form === 'value')
      return { value: outcome, tag: '', affected: 0, columns: undefined, rows: undefined };
    const tag = outcome as string; // a command without rows has nothing else
    return { value: null, tag, affected: affectedBy(tag), columns: undefined, rows: undefined };
  }
  if (outcome.tooLarge) return undefined;
  const { tag, columns, rows } = outcome;
  if (tag === undefined)
    return { state: '08006', message: 'the database sent no result', fatal: true };
  if (tag === '') return { state: '42601', message: 'the statement is empty', fatal: false };
  return { value: null, tag, affected: affectedBy(tag), columns, rows };
}

/** The number at the end of a command tag: rows inserted, updated, deleted or returned. */
function affectedBy(tag: string): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0;
}
