/** Decodes the UTF-8 of a body. Refuses bytes that are not UTF-8, and NUL, which PostgreSQL cannot store. */
import { isAscii, isUtf8 } from 'node:buffer';
import { invalidBodyAt } from './body-error.js';

/**
 * decodeUtf8 decodes bytes, of which the caller may have the `characters`, one for each. Throws ServiceError `invalid_body`
 * with line and column.
 */
export function decodeUtf8(bytes: Buffer, characters?: string): string {
  if (!isUtf8(bytes)) throw notUtf8(bytes);
  const text = isAscii(bytes) ? (characters ?? bytes.toString('latin1')) : bytes.toString();
  const nul = text.indexOf('\0');
  if (nul !== -1) throw invalidBodyAt('a NUL, which PostgreSQL cannot store,', text, nul);
  return text;
}

function notUtf8(bytes: Buffer): Error {
  const lossy = bytes.toString();
  const again = Buffer.from(lossy);
  let at = 0;
  while (bytes[at] === again[at]) at++;
  const before = again.subarray(0, at).toString();
  return invalidBodyAt('a byte that is not UTF-8', lossy, before.replace(/\uFFFD+$/, '').length);
}
