/** What is to be found in a script of the corpus, and the requests that show it. */
import type { ScriptText } from '#app/script/script-text.js';

/** Sent once, more than once, or not at all. */
export type SampleValue = string | readonly string[] | undefined;

/** A request: query parameters by name, and with their prefixes `body.`, `header.`, `claims.`, or as `request.body`, the rest. */
export type Sample = Readonly<Record<string, SampleValue>>;

/**
 * A condition: for each parameter its option, or several of them separated by `|`. `absent`; `any` (sent once, with no text
 * that the script knows); `=text` (a text that the template compares with, or a value of an enum); `empty`; `list1` and
 * `list2` (sent as a list of one, sent twice or more often); `item=text` (sent with that among its values).
 */
export type Condition = Readonly<Record<string, string>>;

/** A branch that fails. */
export interface Broken {
  /** The SQLSTATE, or the code of the service. */
  readonly code: string;
  /** In the template. */
  readonly line: number;
  readonly column?: number;
  /** The error itself has no position: the line is that of its cause. */
  readonly unplaced?: true;
  /** The response is 400 and names a parameter, although the script is at fault. */
  readonly blamed?: true;
  /** Every request for which it holds fails, and no other one. */
  readonly when: Condition;
}

export interface Expectation {
  /** The mistake; of a script that is right, what makes it worth a try. */
  readonly about: string;
  /** Values of the parameters. Every combination of them is tried, also without each. */
  readonly values: Readonly<Record<string, readonly (string | readonly string[])[]>>;
  /** Undefined for a script that is proved, or open. */
  readonly broken?: Broken;
  /**
   * What cannot be decided: `name`, a bare text slot that takes a column, a table or a type; `value`, one that takes a value,
   * but not any text; `statement`, a DO body or a statement that needs what the one before it makes.
   */
  readonly open?: 'name' | 'value' | 'statement';
  /** Parameters without which a request is 400 and names them: they are required, and the branch is not broken. */
  readonly needs?: readonly string[];
  /** It has more paths than are tried: `covered` is right where nothing is broken. */
  readonly many?: true;
}

export type Expectations = Readonly<Record<string, Expectation>>;

/** optionOf names the option that a value is, as in a Condition. */
export function optionOf(name: string, value: SampleValue, { template, head }: ScriptText): string {
  if (value === undefined) return 'absent';
  if (typeof value !== 'string') return value.length === 1 ? 'list1' : 'list2';
  const declared = head.parameters.get(name);
  if (declared?.list === true) return 'list1';
  if (value === '') return 'empty';
  const known =
    template.text.includes(`"${value}"`) ||
    declared?.fallback === value ||
    declared?.values?.includes(value) === true;
  return known ? `=${value}` : 'any';
}

/** holds tells whether a request meets a condition. */
export function holds(condition: Condition, sample: Sample, text: ScriptText): boolean {
  return Object.entries(condition).every(([name, options]) => {
    const value = sample[name];
    if (options.startsWith(ITEM)) return [value].flat().includes(options.slice(ITEM.length));
    return options.split('|').includes(optionOf(name, value, text));
  });
}

const ITEM = 'item=';

/** combinations gives every combination of values, each parameter also absent; of many, those that differ in two from all or none. */
export function combinations({ values, many }: Expectation): readonly Sample[] {
  if (many) return pairs(values);
  let samples: readonly Sample[] = [{}];
  for (const [name, some] of Object.entries(values))
    samples = samples.flatMap((sample) => [
      sample,
      ...some.map((value) => ({ ...sample, [name]: value })),
    ]);
  return samples;
}

function pairs(values: Expectation['values']): readonly Sample[] {
  const all = Object.entries(values).map(([name, [value]]) => ({ [name]: value }));
  return all.flatMap((one, i) =>
    all.slice(i).flatMap((other) => {
      const two: Sample = { ...one, ...other };
      const rest = all.filter((each) => each !== one && each !== other);
      return [two, Object.assign({}, ...rest) as Sample];
    }),
  );
}
