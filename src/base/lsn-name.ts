/**
 * Names of databases in `Service-LSN`, the header and its cookies: a position belongs to one database. The default one has
 * no name; others have their alias, percent-encoded, so that it is a token of HTTP.
 */

/** What a name consists of, for regular expressions. */
export const POSITION_NAME = "(?:[A-Za-z0-9_.!~*'-]|%[0-9A-F]{2})+";

/** positionName gives the name of an alias; empty for the default one. */
export function positionName(alias: string, defaultAlias: string): string {
  return alias === defaultAlias ? '' : encoded(alias);
}

/** isNameOf tells whether a name stands for an alias. The default alias may be written, too. */
export function isNameOf(name: string, alias: string, defaultAlias: string): boolean {
  return name === '' ? alias === defaultAlias : name === encoded(alias);
}

/** Parentheses are no characters of a token, but encodeURIComponent leaves them. */
function encoded(alias: string): string {
  return encodeURIComponent(alias).replaceAll('(', '%28').replaceAll(')', '%29');
}
