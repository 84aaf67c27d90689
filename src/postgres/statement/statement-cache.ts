/**
 * The names of the statements prepared on one connection, bounded in number and in weight; the least recently used one is
 * evicted. The owner prepares and deallocates.
 */
import type { Statement } from './job.js';

interface Entry {
  readonly name: string;
  readonly weight: number;
  used: number;
}

export interface StatementCacheBounds {
  readonly statements: number;
  /** Of all texts together, see weightOf; a text with a sixth of it or more is not prepared. */
  readonly weight: number;
}

export class StatementCache {
  readonly #entries = new Map<Statement, Entry>();
  readonly #bounds: StatementCacheBounds;
  readonly #prefix: string;
  #weight = 0;
  #clock = 0;
  #named = 0;
  #requests = 0;

  /** `prefix` distinguishes the names of two caches. */
  constructor(bounds: StatementCacheBounds, prefix = 's') {
    this.#bounds = bounds;
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** length is the sum over all texts, UTF-16 units. */
  get length(): number {
    let total = 0;
    for (const { sql } of this.#entries.keys()) total += sql.length;
    return total;
  }

  /** find returns the name of a statement, undefined when it is not prepared. */
  find(statement: Statement): string | undefined {
    const entry = this.#entries.get(statement);
    if (entry === undefined) return undefined;
    entry.used = ++this.#clock;
    return entry.name;
  }

  /**
   * hasRoom tells whether a statement may be prepared now. In a full cache, one in sixteen may evict others: more texts than
   * fit, sent in turn, would otherwise be prepared and deallocated each time.
   */
  hasRoom(statement: Statement): boolean {
    const weight = (statement.weight ??= weightOf(statement.sql));
    if (weight * 6 >= this.#bounds.weight) return false;
    const fits =
      this.#entries.size < this.#bounds.statements && this.#weight + weight <= this.#bounds.weight;
    return fits || (++this.#requests & 15) === 0;
  }

  /** add names a statement; no name is used twice on a connection. */
  add(statement: Statement): string {
    const name = `${this.#prefix}${(++this.#named).toString(36)}`;
    const weight = (statement.weight ??= weightOf(statement.sql));
    this.#entries.set(statement, { name, weight, used: ++this.#clock });
    this.#weight += weight;
    return name;
  }

  /** remove removes a statement; given a name, only if it still has that one. */
  remove(statement: Statement, name?: string): void {
    const entry = this.#entries.get(statement);
    if (entry === undefined || (name !== undefined && entry.name !== name)) return;
    this.#entries.delete(statement);
    this.#weight -= entry.weight;
  }

  /** evict removes the least recently used statement if a bound is exceeded, and returns its name. */
  evict(): string | undefined {
    const { statements, weight } = this.#bounds;
    if (this.#entries.size <= statements && this.#weight <= weight) return undefined;
    let oldest: Statement | undefined;
    let least: Entry | undefined;
    for (const [statement, entry] of this.#entries) {
      if (least !== undefined && entry.used >= least.used) continue;
      oldest = statement;
      least = entry;
    }
    this.remove(oldest!);
    return least!.name;
  }
}

/**
 * weightOf counts the words and symbols of a text, or a quarter of its characters if that is more. PostgreSQL keeps up to
 * 1 KiB for each (`a-a-a…` with a cast at each), and a third of that for most texts.
 */
export function weightOf(sql: string): number {
  let tokens = 0;
  let inWord = false;
  for (let i = 0; i < sql.length; i++) {
    const code = sql.charCodeAt(i);
    const letter = code | 32;
    const word =
      (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || code === 95 || code > 127;
    if (word ? !inWord : code > 32) tokens++;
    inWord = word;
  }
  return Math.max(tokens, sql.length >> 2);
}
