/** A rendered text with SQL in place of its slots, and the way back from an offset in it. */

/** A range of the original text, and what stands there instead. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly sql: string;
}

export class Substitution {
  readonly text: string;
  readonly #edits: readonly Edit[];

  /** `edits` are in order and do not overlap. */
  constructor(original: string, edits: readonly Edit[]) {
    this.#edits = edits;
    let text = '';
    let copied = 0;
    for (const { start, end, sql } of edits) {
      text += original.slice(copied, start) + sql;
      copied = end;
    }
    this.text = text + original.slice(copied);
  }

  /** originalOffset gives the offset in the original text; for one in an edit, where that begins. */
  originalOffset(offset: number): number {
    let moved = 0;
    for (const { start, end, sql } of this.#edits) {
      const at = start + moved;
      if (offset < at) break;
      if (offset < at + sql.length) return start;
      moved += sql.length - (end - start);
    }
    return offset - moved;
  }

  /** editAt gives the index of the edit that holds an offset; -1 for none. */
  editAt(offset: number): number {
    let moved = 0;
    for (const [i, { start, end, sql }] of this.#edits.entries()) {
      const at = start + moved;
      if (offset >= at && offset < at + sql.length) return i;
      moved += sql.length - (end - start);
    }
    return -1;
  }
}
