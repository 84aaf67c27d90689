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
  /** Of several statements, which values this one uses: their indexes in `rendered.values`, by the number in the statement. */
  readonly uses?: readonly number[] | undefined;
  readonly offset: number | undefined;
}

/** invalidValue names the parameter; undefined when it is not known. */
export function invalidValue(
  failure: ValueFailure,
  { rendered, uses, offset }: FailedStatement,
): string | undefined {
  if (!failure.state.startsWith('22') || failure.raised === true) return undefined;
  // The number in the rendered text of the statement's value `$n`.
  const numberOf = (n: number): number => (uses === undefined ? n : uses[n - 1]! + 1);
  if (failure.parameter !== undefined) return rendered.boundParameter(numberOf(failure.parameter));
  const { values } = rendered;
  const bound = uses?.map((index) => values[index]!) ?? values;
  const found =
    offset === undefined
      ? quotedValues(failure.message, bound).map((n) => rendered.boundParameter(numberOf(n)))
      : rendered.interpolatedAt(offset);
  const [name, ...others] = new Set(found);
  return others.length === 0 ? name : undefined;
}

/** The numbers of the bound values that a message quotes: `invalid input syntax for type integer: "x"`. */
function quotedValues(message: string, values: readonly (string | null)[]): readonly number[] {
  const numbers = values.map((value, i) => (message.includes(`"${value}"`) ? i + 1 : 0));
  return numbers.filter((number) => number > 0 && values[number - 1] !== null);
}
