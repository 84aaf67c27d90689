/** What has changed in the catalogs of a database, by name: for a message that says why a script is broken now. */
import type { NamedObjects } from '../branches/named-objects.js';

/** Most objects that a message names. */
const MOST = 3;

export class CatalogChange {
  /** What became of the objects of a name: `table public.item changed`. */
  readonly #events = new Map<string, readonly string[]>();

  constructor(before: NamedObjects, after: NamedObjects) {
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const events = eventsOf(before.get(name), after.get(name));
      if (events.length > 0) this.#events.set(name, events);
    }
  }

  /** describe names what changed of some names; undefined when nothing did. */
  describe(names: Iterable<string>): string | undefined {
    const events = new Set<string>();
    for (const name of names) for (const event of this.#events.get(name) ?? []) events.add(event);
    return events.size === 0 ? undefined : [...events].slice(0, MOST).join(' and ');
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

function eventsOf(
  before: ReadonlyMap<string, string> = NONE,
  after: ReadonlyMap<string, string> = NONE,
): string[] {
  const events: string[] = [];
  for (const [label, digest] of before) {
    const now = after.get(label);
    if (now === undefined) events.push(`${label} is gone`);
    else if (now !== digest) events.push(`${label} changed`);
  }
  for (const label of after.keys()) if (!before.has(label)) events.push(`${label} was created`);
  return events;
}
