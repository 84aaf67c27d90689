/**
 * The SQL context of a value: the type it is cast to, whether it must be a list, whether it may be NULL. Only the text
 * directly before and after the action is examined.
 */

export interface SqlContext {
  /** In lower case, without the brackets of an array; undefined if there is no cast. */
  readonly type: string | undefined;
  readonly list: boolean;
  /** Whether the statement handles NULL. */
  readonly nullable: boolean;
}

export const NO_CONTEXT: SqlContext = { type: undefined, list: false, nullable: false };

/** Length of the text before and after that is examined, UTF-16 units. */
const NEAR = 80;

const TYPE =
  '((?:double +precision|character +varying|(?:timestamp|time)(?= )(?: +with(?:out)? +time +zone)?|[a-z_][a-z0-9_.]*)' +
  '(?: ?\\( ?\\d+(?: ?, ?\\d+)? ?\\))?)((?: ?\\[\\d*\\])*)';

const CAST = new RegExp(`^\\s*::\\s*${TYPE}`, 'i');
const CAST_CALL = /\bcast\s*\(\s*$/i;
const CAST_AS = new RegExp(`^\\s+as\\s+${TYPE}`, 'i');
const COUNT = /\b(?:limit|offset)\s+$/i;
const LIST = /\b(?:any|all|some|unnest)\s*\(\s*$/i;
const NULL_BEFORE =
  /\b(?:coalesce\s*\(\s*(?:nullif\s*\(\s*)?|is\s+(?:not\s+)?distinct\s+from\s+)$/i;
const NULL_AFTER = /^\s*\)?\s*is\s+(?:not\s+)?(?:null|distinct\s+from)\b/i;

/** sqlContext examines the text on both sides of a value. */
export function sqlContext(textBefore: string, textAfter: string): SqlContext {
  const before = textBefore.slice(-NEAR);
  const after = textAfter.slice(0, NEAR);
  const cast = CAST.exec(after) ?? (CAST_CALL.test(before) ? CAST_AS.exec(after) : null);
  const rest = cast === null ? after : after.slice(cast[0].length);
  return {
    type: cast?.[1]?.toLowerCase() ?? (COUNT.test(before) ? 'bigint' : undefined),
    list: LIST.test(before) || (cast?.[2] ?? '') !== '',
    nullable: NULL_BEFORE.test(before) || NULL_AFTER.test(rest),
  };
}
