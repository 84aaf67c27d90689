/**
 * The parameter whose value PostgreSQL could not read (SQLSTATE class 22), where that can be told: by the number of the bound
 * value, by the position of the literal it was interpolated into, or because the message quotes the value of one parameter
 * only. Computed only after a failure.
 */
import type { Rendered } from '../template/template.js';

/** What PostgreSQL says about the value. */
export interface ValueFailure {
  readonly state: string;
  readonly message: string;
  /** Whether code in the database wrote the message. */
  readonly raised?: boolean;
  readonly parameter?: number | undefined;
}

/** The rendered statement: its text in the script, its values, and the offset of PostgreSQL's position in the text. */
export interface FailedStatement {
  readonly rendered: Rendered;
  readonly values: readonly (string | null)[];
  readonly offset: number | undefined;
}

/** invalidValue names the parameter; undefined when it is not known. */
export function invalidValue(
  failure: ValueFailure,
  { rendered, values, offset }: FailedStatement,
): string | undefined {
  if (!failure.state.startsWith('22') || failure.raised === true) return undefined;
  if (failure.parameter !== undefined) return rendered.boundParameter(failure.parameter);
  const found =
    offset === undefined
      ? quotedValues(failure.message, values).map((number) => rendered.boundParameter(number))
      : rendered.interpolatedAt(offset);
  const [name, ...others] = new Set(found);
  return others.length === 0 ? name : undefined;
}

/** The numbers of the bound values that a message quotes: `invalid input syntax for type integer: "x"`. */
function quotedValues(message: string, values: readonly (string | null)[]): readonly number[] {
  const numbers = values.map((value, i) => (message.includes(`"${value}"`) ? i + 1 : 0));
  return numbers.filter((number) => number > 0 && values[number - 1] !== null);
}
