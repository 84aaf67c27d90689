/** The answers of `/_health` and `/_ready`: what the last probe saw, for each database. */

/** healthAnswer is the status and body for the aliases that must answer; `closing` makes it negative whatever they do. */
export function healthAnswer(
  states: ReadonlyMap<string, boolean>,
  wanted: readonly string[],
  closing: boolean,
): { status: number; body: string } {
  const well = !closing && wanted.every((alias) => states.get(alias) === true);
  const databases = Object.fromEntries(
    Array.from(states, ([alias, up]) => [alias, up ? 'up' : 'down']),
  );
  return {
    status: well ? 200 : 503,
    body: JSON.stringify({ status: well ? 'up' : 'down', databases }),
  };
}
