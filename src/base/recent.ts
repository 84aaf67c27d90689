/** A map of bounded size that drops what was used longest ago. */
import { LRUCache } from 'lru-cache';

export interface RecentBounds {
  readonly entries: number;
  /** The sum of the sizes of all entries; one that would take more than a twentieth is not kept. */
  readonly characters?: number;
}

export type Recent<Value extends object | string> = LRUCache<string, Value>;

/** recent makes such a map. `sizeOf` gives the size of an entry in characters; by default the length of its key. */
export function recent<Value extends object | string>(
  { entries, characters }: RecentBounds,
  sizeOf: (key: string, value: Value) => number = (key) => key.length,
): Recent<Value> {
  if (characters === undefined) return new LRUCache({ max: entries });
  return new LRUCache({
    max: entries,
    maxSize: characters,
    maxEntrySize: Math.floor(characters / 20),
    // A size of 0 is an error to LRUCache.
    sizeCalculation: (value, key) => sizeOf(key, value) + 1,
  });
}
