/** Arrays as parameters: a list of texts as PostgreSQL reads it. Knows neither NULL nor more than one dimension. */

/** arrayLiteral writes a one-dimensional array of texts. */
export function arrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
