/**
 * The parameter whose value PostgreSQL could not read (SQLSTATE class 22), where that can be told: by the number of the bound
 * value, by the position of the literal it was interpolated into, or because the message quotes the value of one parameter
 * only. Of a list, also which of its elements. Computed only after a failure.
 */
import type { BodyValue } from '../body/request-body.js';
import type { Rendered } from '../../template/template.js';

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

/** Longer messages, and texts of arrays, are not searched: that would take long where they have many values. */
const LONGEST_MESSAGE = 1_000;
const LONGEST_ARRAY = 1 << 20;

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

/** The numbers of the bound values that a message quotes, or an element of: `invalid input syntax for type integer: "x"`. */
function quotedValues(message: string, values: readonly (string | null)[]): readonly number[] {
  if (message.length > LONGEST_MESSAGE) return [];
  const isQuoted = (value: string | null): boolean =>
    message.includes(`"${value}"`) || elementOf(message, value) !== undefined;
  const numbers = values.map((value, i) => (isQuoted(value) ? i + 1 : 0));
  return numbers.filter((number) => number > 0 && values[number - 1] !== null);
}

/** elementOf gives the index of the element that a message quotes, in a list or a JSON array; undefined unless it is one. */
export function elementOf(message: string, value: BodyValue | undefined): number | undefined {
  if (message.length > LONGEST_MESSAGE) return undefined;
  const quotes = (one: unknown): boolean =>
    typeof one === 'object' && one !== null
      ? Object.values(one).some(quotes)
      : one !== null && message.includes(`"${one as string | number | boolean}"`);
  const list = typeof value === 'string' ? arrayOf(value) : (value ?? []);
  const found = list.filter(quotes);
  return new Set(found).size === 1 ? list.indexOf(found[0]) : undefined;
}

function arrayOf(text: string): readonly unknown[] {
  try {
    return /^\s*\[/.test(text) && text.length < LONGEST_ARRAY
      ? (JSON.parse(text) as unknown[])
      : [];
  } catch {
    return [];
  }
}
