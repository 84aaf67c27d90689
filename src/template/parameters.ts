/**
 * The parameters of a template, found by static analysis of its tree: which are required, which are lists, and so on.
 * Names that are computed at run time (`sqlVal .name`) cannot be known; then the list is marked as open.
 */
import { fieldUsageOf } from './usage-walk.js';

/** A name that a template looks up in its data. */
export interface Parameter {
  readonly name: string;
  /** Whether it must be sent: it is used without a test or a default before. */
  readonly required: boolean;
  readonly list: boolean;
  /** The default in defaultOrValue, if that is a constant. */
  readonly fallback: string | undefined;
  /** The SQL type it is cast to, in lower case; of a list, the type of the elements. */
  readonly type: string | undefined;
  /** Whether it is an argument of `ident`. */
  readonly identifier: boolean;
  /** Whether it is an argument of `limitOffset`. */
  readonly integer: boolean;
  /** Whether it becomes text of the statement and is therefore screened. */
  readonly interpolated: boolean;
  /** Whether only its presence matters, not its value. */
  readonly flag: boolean;
  /** Constants to which it is compared. */
  readonly values: readonly string[];
}

export interface TemplateParameters {
  /** In the order of their first use. */
  readonly list: readonly Parameter[];
  /** Whether the template may look up other names too. */
  readonly open: boolean;
  /** Names of the headers that the template reads, as written; `*` for a computed name. */
  readonly headers: readonly string[];
}

const HEADER = 'header.';

/** parametersOf finds the parameters of a template's text, which must be valid. */
export function parametersOf(text: string, name: string): TemplateParameters {
  const usage = fieldUsageOf(text, name);
  const list = [...usage.fields].map(([name, field]): Parameter => {
    const { used, nullable, values, fallback, type, list, identifier, integer, interpolated } =
      field;
    const required = field.required && !nullable;
    const flag = !used && values.size === 0;
    return {
      name,
      required,
      list,
      fallback: required ? undefined : fallback,
      type,
      identifier,
      integer,
      interpolated,
      flag,
      values: [...values],
    };
  });
  const bound = list.filter(({ name, flag }) => !flag && name.startsWith(HEADER));
  const headers = [...usage.headers, ...bound.map((header) => header.name.slice(HEADER.length))];
  return { list, open: usage.open, headers };
}
