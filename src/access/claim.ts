/**
 * One claim of a token by its name, for those who decide by it. Only what the token's own objects hold is found.
 */

const DOT = 0x2e;

/**
 * claimOf gives the claim of a name, undefined when there is none. Dots lead into objects; where a member's own name has
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
