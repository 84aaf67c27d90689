/**
 * The text form of a value that PostgreSQL is to read as a parameter: a string as it is, a list as an array literal,
 * an absent value as NULL.
 */

/** parameterText is a raw value of the data as it is bound: null for NULL. */
export function parameterText(raw: unknown): string | null {
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

/** Deepest array that PostgreSQL has. */
const MAX_DIMENSIONS = 6;

function arrayLiteral(items: readonly unknown[], depth: number): string {
  const element = (item: unknown): string => {
    if (Array.isArray(item) && depth + 1 < MAX_DIMENSIONS) return arrayLiteral(item, depth + 1);
    const text = Array.isArray(item) ? JSON.stringify(item) : parameterText(item);
    return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`;
  };
  return `{${items.map(element).join(',')}}`;
}
