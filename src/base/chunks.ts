/** Reading much in chunks: what is on one connection must not wait behind all of it. */

export interface Sized {
  readonly id: string;
  readonly size: number;
}

/** The most that one chunk holds; a larger item is a chunk of its own. */
export interface ChunkBounds {
  readonly items: number;
  readonly size: number;
}

/** chunks splits items into lists of their ids, in the order given. */
export function* chunks(items: Iterable<Sized>, bounds: ChunkBounds): Generator<string[]> {
  let chunk: string[] = [];
  let sum = 0;
  for (const { id, size } of items) {
    if (chunk.length === bounds.items || (chunk.length > 0 && sum + size > bounds.size)) {
      yield chunk;
      chunk = [];
      sum = 0;
    }
    chunk.push(id);
    sum += size;
  }
  if (chunk.length > 0) yield chunk;
}
