/** Names in paths: database aliases, folders, scripts, plugin libraries. */

const IDENTIFIER = /^[\p{L}\p{Nd}_-]+$/u;

/** isIdentifier tells whether a decoded path segment is a valid name: 1 to 63 bytes of Unicode letters, digits, `_` and `-`. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) && Buffer.byteLength(text) <= 63;
}
