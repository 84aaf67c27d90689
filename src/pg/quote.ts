/** Names and texts of our own as parts of a statement. Values of callers are bound, never quoted. */

/** identifier quotes a name. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** qualifiedName is the name of a table with its schema, quoted. */
export function qualifiedName({ schema, table }: { schema: string; table: string }): string {
  return `${identifier(schema)}.${identifier(table)}`;
}

/** literal quotes a text, whatever standard_conforming_strings is. */
export function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
