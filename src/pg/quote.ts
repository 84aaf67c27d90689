/** Names and texts of our own as parts of a statement. Values of callers are bound, never quoted. */

/** identifier quotes a name. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** literal quotes a text, whatever standard_conforming_strings is. */
export function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
