/** Claims of a verified token: the caller's name, the scopes, and one claim by its name. Only own properties count. */
import { isObject } from '../base/json.js';
import { NO_SCOPES } from './caller.js';

const DOT = 0x2e;

/**
 * nameInClaims returns the claim `path` (`jwt.name_claim`), by default `UserInfo.username` if that member exists, else `sub`;
 * empty if it is not a string.
 */
export function nameInClaims(claims: unknown, path?: string): string {
  if (path !== undefined) {
    const named = claimOf(claims, path);
    return typeof named === 'string' ? named : '';
  }
  const user = member(claims, 'UserInfo');
  const own = isObject(user) && Object.hasOwn(user, 'username');
  const name = own ? user['username'] : member(claims, 'sub');
  return typeof name === 'string' ? name : '';
}

/**
 * scopesInClaims returns the scopes of a token: the words of `scope` (RFC 8693, section 4.2), or of `scp`, which some issuers
 * write instead, as a text or a list. What is neither gives none.
 */
export function scopesInClaims(claims: unknown): ReadonlySet<string> {
  const given = member(claims, 'scope') ?? member(claims, 'scp');
  const words = typeof given === 'string' ? given.split(' ') : given;
  if (!Array.isArray(words)) return NO_SCOPES;
  return new Set(words.filter((word): word is string => typeof word === 'string' && word !== ''));
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
