/**
 * Names and texts of the service itself as parts of a statement, and lists as array parameters. Values of callers are
 * bound, never quoted.
 */

export function identifier(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}

/** qualifiedName is the name of a table with its schema, quoted. */
export function qualifiedName({ schema, table }: { schema: string; table: string }): string {
  return `${identifier(schema)}.${identifier(table)}`;
}

/** literal quotes a text, whatever standard_conforming_strings is. */
export function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** arrayLiteral writes texts as the value of a parameter of type text[]. */
export function arrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
