/**
 * The text format of bound values: a string unchanged, a list as an array literal, an absent value as NULL.
 */

/** boundText converts a raw value of the data; null is NULL. */
export function boundText(raw: unknown): string | null {
  switch (typeof raw) {
    case 'string':
      return raw;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(raw);
    case 'object':
      if (raw === null) return null;
      return Array.isArray(raw) ? arrayLiteral(raw, 0) : JSON.stringify(raw);
    default:
      return null;
  }
}

/** Maximum of array dimensions in PostgreSQL. */
const MAX_DIMENSIONS = 6;

function arrayLiteral(items: readonly unknown[], depth: number): string {
  const element = (item: unknown): string => {
    if (Array.isArray(item) && depth + 1 < MAX_DIMENSIONS) return arrayLiteral(item, depth + 1);
    const text = Array.isArray(item) ? JSON.stringify(item) : boundText(item);
    return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`;
  };
  return `{${items.map(element).join(',')}}`;
}
