/**
 * The name of a caller, as permissions know it. Claims come from a token that was verified; nothing is checked here.
 */

/**
 * callerName gives the name in a caller's claims (a JSON object, or empty for nobody): `UserInfo.username` when there is
 * such a member, else `sub`. Empty for a caller without a name. Throws SyntaxError for what is not JSON.
 */
export function callerName(claims: string): string {
  if (claims === '') return '';
  const all: unknown = JSON.parse(claims);
  const user = member(all, 'UserInfo');
  const name = hasMember(user, 'username') ? user['username'] : member(all, 'sub');
  return typeof name === 'string' ? name : '';
}

function member(value: unknown, name: string): unknown {
  return hasMember(value, name) ? value[name] : undefined;
}

function hasMember(value: unknown, name: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}
