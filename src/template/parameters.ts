/**
 * The parameters of a template, as its tree tells them: which there are, which must be sent, which are lists. What is
 * computed when the template runs (`sqlVal .name`) cannot be known and is said to be so. It reads the tree alone: nothing
 * is rendered.
 */
import { parse } from './parser.js';
import { UsageWalk } from './usage-walk.js';

/** A name that a template looks up in its data. */
export interface Parameter {
  readonly name: string;
  /** Whether the template cannot do without it: it is used, and neither tested nor given a default before. */
  readonly required: boolean;
  readonly list: boolean;
  /** What defaultOrValue takes in its place, where that is a constant. */
  readonly fallback: string | undefined;
  /** The SQL type it is cast to, of a list that of its elements; in lower case. */
  readonly type: string | undefined;
  /** Whether `ident` makes a name of it. */
  readonly identifier: boolean;
  /** Whether `limitOffset` takes it. */
  readonly integer: boolean;
  /** Whether it becomes text of the statement, so that the screen has a say. */
  readonly interpolated: boolean;
  /** Whether it only matters that it is sent, not what it is. */
  readonly flag: boolean;
  /** Constants that it is compared with. */
  readonly values: readonly string[];
}

export interface Parameters {
  /** In the order of their names in the text. */
  readonly list: readonly Parameter[];
  /** Whether it may look up others too. */
  readonly open: boolean;
}

/** parametersOf reads the parameters of a template's text, which parses: what it is called is for nothing but that. */
export function parametersOf(text: string, name: string): Parameters {
  const walk = new UsageWalk(parse(name, text));
  walk.template(name);
  const list = [...walk.fields].map(([name, field]): Parameter => {
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
  return { list, open: walk.open };
}
