/**
 * What can be told of a value in a template before there is data: that it is all of the data, a field of it, a constant,
 * or none of these; and which fields must have been sent for it to be true, or false.
 */

export interface UsageValue {
  readonly kind: 'data' | 'field' | 'text' | 'other';
  /** Of a constant. */
  readonly text: string;
  /** The fields that it may be. */
  readonly fields: readonly string[];
  /** Whether it can be nothing but its one field. */
  readonly sure: boolean;
  /** The fields that were sent when it is true, and when it is false. */
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** OTHER is a value of which nothing is known. */
export const OTHER: UsageValue = {
  kind: 'other',
  text: '',
  fields: [],
  sure: false,
  yes: [],
  no: [],
};

/** DATA is all of the data. */
export const DATA: UsageValue = { ...OTHER, kind: 'data' };

/** textValue is a constant. */
export function textValue(text: string): UsageValue {
  return { ...OTHER, kind: 'text', text };
}

/** fieldValue is a field of the data. */
export function fieldValue(name: string): UsageValue {
  return { ...OTHER, kind: 'field', fields: [name], sure: true, yes: [name] };
}

/** joined is a value that is one of two. */
export function joined(a: UsageValue, b: UsageValue): UsageValue {
  if (a === b) return a;
  const fields = [...new Set([...a.fields, ...b.fields])];
  const sides = { yes: common(a.yes, b.yes), no: common(a.no, b.no) };
  if (fields.length === 0) return { ...OTHER, ...sides };
  const sure = a.sure && b.sure && fields.length === 1;
  return { ...OTHER, ...sides, kind: 'field', fields, sure };
}

/** common are the names in both lists. */
export function common(a: readonly string[], b: readonly string[]): string[] {
  return a.filter((name) => b.includes(name));
}
