/**
 * The values of a path's parameters as parameters of its script: pairs in front of the query string, in which pairs of the
 * same names are dropped.
 */

/** withPathValues adds raw segments, each with the name of its parameter, to a raw query string. */
export function withPathValues(
  query: string,
  values: readonly (readonly [name: string, raw: string])[],
): string {
  if (values.length === 0) return query;
  const names = new Set(values.map(([name]) => name));
  const pairs = values.map(([name, raw]) => `${name}=${quoted(raw)}`);
  if (query !== '') pairs.push(...query.split('&').filter((pair) => !names.has(nameOf(pair))));
  return pairs.join('&');
}

/** In a query string a plus is a space, and an ampersand ends the value. */
function quoted(raw: string): string {
  return raw.replace(/[+&]/g, encodeURIComponent);
}

/** As the worker decodes it, which refuses names that are not UTF-8. */
function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  if (!name.includes('%')) return name; // no parameter of a path has a space in its name
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
