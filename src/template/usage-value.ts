/**
 * Values in the static analysis of a template: all of the data, a field of it, a constant, or unknown; and which fields
 * must have been sent if the value is true, or false.
 */

export interface UsageValue {
  readonly kind: 'data' | 'field' | 'text' | 'other';
  /** The text of a constant. */
  readonly text: string;
  /** The fields whose value it may be. */
  readonly fields: readonly string[];
  /** Whether it is certainly the value of its one field. */
  readonly sure: boolean;
  /** The fields that were sent if it is true, and if it is false. */
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

export const OTHER: UsageValue = {
  kind: 'other',
  text: '',
  fields: [],
  sure: false,
  yes: [],
  no: [],
};

export const DATA: UsageValue = { ...OTHER, kind: 'data' };

export function textValue(text: string): UsageValue {
  return { ...OTHER, kind: 'text', text };
}

export function fieldValue(name: string): UsageValue {
  return { ...OTHER, kind: 'field', fields: [name], sure: true, yes: [name] };
}

/** isHeaders tells whether a value may be the map of the request's headers. */
export function isHeaders({ kind, fields }: UsageValue): boolean {
  return kind === 'field' && fields.includes('header');
}

export function joined(a: UsageValue, b: UsageValue): UsageValue {
  if (a === b) return a;
  const fields = [...new Set([...a.fields, ...b.fields])];
  const sides = { yes: common(a.yes, b.yes), no: common(a.no, b.no) };
  if (fields.length === 0) return { ...OTHER, ...sides };
  const sure = a.sure && b.sure && fields.length === 1;
  return { ...OTHER, ...sides, kind: 'field', fields, sure };
}

export function common(a: readonly string[], b: readonly string[]): string[] {
  return a.filter((name) => b.includes(name));
}
