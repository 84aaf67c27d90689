/** Reading much in pieces: what is on one connection must not wait behind all of it. */

export interface Sized {
  readonly id: string;
  readonly size: number;
}

/** The most that one piece holds; a larger item is a piece of its own. */
export interface PieceBounds {
  readonly items: number;
  readonly size: number;
}

/** pieces splits items into lists of their ids, in the order given. */
export function* pieces(items: Iterable<Sized>, bounds: PieceBounds): Generator<string[]> {
  let piece: string[] = [];
  let sum = 0;
  for (const { id, size } of items) {
    if (piece.length === bounds.items || (piece.length > 0 && sum + size > bounds.size)) {
      yield piece;
      piece = [];
      sum = 0;
    }
    piece.push(id);
    sum += size;
  }
  if (piece.length > 0) yield piece;
}
