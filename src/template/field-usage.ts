/**
 * What the analysis of a template finds out about the fields of its data: how each of them is used, which actions print
 * it, which headers are read.
 */
import type { UsageValue } from './usage-value.js';

export interface Field {
  used: boolean;
  /** Whether every path through the template uses it without a test or a default before. */
  required: boolean;
  list: boolean;
  nullable: boolean;
  fallback: string | undefined;
  type: string | undefined;
  identifier: boolean;
  integer: boolean;
  interpolated: boolean;
  readonly values: Set<string>;
}

/** Properties of a field that one use of it shows. */
export type FieldUse = Partial<
  Pick<Field, 'list' | 'nullable' | 'type' | 'identifier' | 'integer' | 'interpolated'>
>;

/** Facts about fields at a point of the template. */
export interface KnownFields {
  /** The fields that were sent or have a default. */
  readonly sent: Set<string>;
  /** The fields that are used on every way to this point where they may be absent. */
  readonly needed: Set<string>;
}

/** FieldUsage collects what one walk through a template finds. */
export class FieldUsage {
  readonly fields = new Map<string, Field>();
  /** The fields that each action may print, by its offset, as far as they are known. */
  readonly actions = new Map<number, Set<string>>();
  /** Whether the template may look up other fields too. */
  open = false;
  /** Names of the headers that are read; `*` for an unknown one. */
  readonly headers = new Set<string>();
  /** The entry of the current action in `actions`. */
  #printed = new Set<string>();

  field(name: string): Field {
    let field = this.fields.get(name);
    if (field === undefined) {
      field = {
        used: false,
        required: false,
        list: false,
        nullable: false,
        fallback: undefined,
        type: undefined,
        identifier: false,
        integer: false,
        interpolated: false,
        values: new Set(),
      };
      this.fields.set(name, field);
    }
    return field;
  }

  test(value: UsageValue): void {
    for (const name of value.fields) this.field(name);
    if (value.kind === 'data') this.open = true;
  }

  /** use records how a value is used, and that it is needed unless it is among the fields that were sent. */
  use(value: UsageValue, { sent, needed }: KnownFields, how: FieldUse = {}): void {
    if (value.kind === 'data') this.open = true;
    for (const name of value.fields) {
      const field = this.field(name);
      field.used = true;
      const { type, list, nullable, identifier, integer, interpolated } = how;
      field.type ??= type;
      if (list) field.list = true;
      if (nullable) field.nullable = true;
      if (identifier) field.identifier = true;
      if (integer) field.integer = true;
      if (interpolated) {
        field.interpolated = true;
        this.print(name);
      }
      if (value.sure && !sent.has(name)) needed.add(name);
    }
  }

  action(pos: number): void {
    this.#printed = this.actions.get(pos) ?? new Set();
    this.actions.set(pos, this.#printed);
  }

  /** print records that the current action may print a field. */
  print(name: string): void {
    this.#printed.add(name);
  }
}
