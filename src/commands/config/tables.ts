/**
 * The kind for lists of tables, such as `[[databases]]`. It defines the fields of an item, reports missing and unknown
 * fields, and can be set in the file only.
 */
import { describe, type Issues, type Kind } from './kind.js';
import { nearest } from '../../base/nearest.js';

export interface EntryField {
  readonly kind: Kind<unknown>;
  readonly required: boolean;
  readonly meaning: string;
}

/** One table of a list; absent fields are undefined. */
export type Item = Readonly<Record<string, unknown>>;

export interface TablesKind extends Kind<readonly Item[]> {
  readonly fields: Readonly<Record<string, EntryField>>;
}

export function required(kind: Kind<unknown>, meaning: string): EntryField {
  return { kind, required: true, meaning };
}

export function optional(kind: Kind<unknown>, meaning: string): EntryField {
  return { kind, required: false, meaning };
}

/** tables accepts a list of tables with these fields; `strict` makes an unknown field an error instead of a warning. */
export function tables(fields: Readonly<Record<string, EntryField>>, strict: boolean): TablesKind {
  const allowed = 'a list of tables';
  return {
    name: 'tables',
    allowed,
    fields,
    read(value, at, issues) {
      if (!Array.isArray(value)) {
        issues.errors.push(`${at}: found ${describe(value)}; allowed: ${allowed} ([[${at}]])`);
        return undefined;
      }
      return Object.freeze(
        value.map((item: unknown, i) => readItem(item, `${at}[${i}]`, fields, strict, issues)),
      );
    },
    parse: (text) => text,
    show: () => '[]',
  };
}

export function table(fields: Readonly<Record<string, EntryField>>, strict: boolean): Kind<Item> {
  return {
    name: 'table',
    allowed: allowedTable(fields),
    read: (value, at, issues) => readItem(value, at, fields, strict, issues),
    parse: (text) => text,
    show: () => '{}',
  };
}

function allowedTable(fields: Readonly<Record<string, EntryField>>): string {
  return `a table with ${Object.keys(fields).join(', ')}`;
}

function readItem(
  item: unknown,
  at: string,
  fields: Readonly<Record<string, EntryField>>,
  strict: boolean,
  issues: Issues,
): Item {
  const read: Record<string, unknown> = {};
  if (describe(item) !== 'a table') {
    issues.errors.push(`${at}: found ${describe(item)}; allowed: ${allowedTable(fields)}`);
    return read;
  }
  for (const [name, value] of Object.entries(item as object)) {
    const field = Object.hasOwn(fields, name.toLowerCase())
      ? fields[name.toLowerCase()]
      : undefined;
    if (field === undefined) {
      const message = `${at}.${name}: unknown key; the nearest known one is ${nearest(name, Object.keys(fields))}`;
      (strict ? issues.errors : issues.warnings).push(message);
    } else {
      read[name.toLowerCase()] = field.kind.read(value, `${at}.${name}`, issues);
    }
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.required && !(name in read)) issues.errors.push(`${at}: ${name} is missing`);
  }
  return Object.freeze(read);
}
