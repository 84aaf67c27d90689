/**
 * The name of a caller, as permissions know it. Claims come from a token that was verified; nothing is checked here.
 */

/** callerName is nameOf for claims as text, empty for nobody. Throws SyntaxError for what is not JSON. */
export function callerName(claims: string): string {
  return claims === '' ? '' : nameOf(JSON.parse(claims));
}

/**
 * nameOf gives the name in a caller's claims: `UserInfo.username` when there is such a member, else `sub`. Empty for a
 * caller without a name.
 */
export function nameOf(claims: unknown): string {
  const user = member(claims, 'UserInfo');
  const name = hasMember(user, 'username') ? user['username'] : member(claims, 'sub');
  return typeof name === 'string' ? name : '';
}

function member(value: unknown, name: string): unknown {
  return hasMember(value, name) ? value[name] : undefined;
}

function hasMember(value: unknown, name: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}
