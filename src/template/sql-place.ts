/**
 * What the SQL around a value tells of it: the type it is cast to, whether a list belongs there, whether NULL does. A
 * look at the text right before and after the action, no more: where it tells nothing, nothing is known.
 */

/** What is known of a value's place. */
export interface SqlPlace {
  /** In lower case, without the brackets of an array; undefined where none is written. */
  readonly type: string | undefined;
  readonly list: boolean;
  /** Whether the statement says what becomes of NULL. */
  readonly nullable: boolean;
}

/** NO_PLACE is one of which nothing is known. */
export const NO_PLACE: SqlPlace = { type: undefined, list: false, nullable: false };

/** How much of the text before and after is looked at, UTF-16 units. */
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

/** sqlPlace reads the text on both sides of a value. */
export function sqlPlace(textBefore: string, textAfter: string): SqlPlace {
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
