/** Claims of a verified token: the caller's name, and one claim by its name. Only own properties count. */
import { isObject } from '../base/json.js';

const DOT = 0x2e;

/** callerName is nameInClaims for claims as JSON text; empty text has no name. Throws SyntaxError for invalid JSON. */
export function callerName(claims: string): string {
  return claims === '' ? '' : nameInClaims(JSON.parse(claims));
}

/** nameInClaims returns `UserInfo.username` if that member exists, else `sub`; empty if it is not a string. */
export function nameInClaims(claims: unknown): string {
  const user = member(claims, 'UserInfo');
  const own = isObject(user) && Object.hasOwn(user, 'username');
  const name = own ? user['username'] : member(claims, 'sub');
  return typeof name === 'string' ? name : '';
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * claimOf returns a claim by name, or undefined. Dots lead into objects; if a member's own name contains
 * dots (`https://example.com/role`), the longest name that fits counts.
 */
export function claimOf(claims: unknown, name: string): unknown {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, name)) return claims[name];
  let longest = '';
  for (const key of Object.keys(claims)) {
    const leads = name.charCodeAt(key.length) === DOT && name.startsWith(key);
    if (leads && key.length > longest.length) longest = key;
  }
  if (longest === '') return undefined;
  return claimOf(claims[longest], name.slice(longest.length + 1));
}
