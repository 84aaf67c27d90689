/** Names in paths (database aliases, folders, scripts, plugin libraries), and names of SQL that need no quotes. */

const IDENTIFIER = /^[\p{L}\p{Nd}_-]+$/u;

/** isIdentifier tells whether a decoded path segment is a valid name: 1 to 63 bytes of Unicode letters, digits, `_` and `-`. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) && Buffer.byteLength(text) <= 63;
}

/** Names that `ident` and listings accept, as a pattern of JSON Schema: a table or column, with dots between its parts. */
export const SQL_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})*$';

const SQL_NAMES = new RegExp(SQL_NAME);

/** isSqlName tells whether a text is a name or several with dots between, each of 1 to 63 ASCII letters, digits and `_`. */
export function isSqlName(text: string): boolean {
  return SQL_NAMES.test(text);
}
