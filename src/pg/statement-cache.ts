/**
 * Names of the statements prepared on one connection, bounded: the least recently used gives way. Only a statement that
 * comes a second time is worth a name. It knows nothing of the connection; its owner prepares and deallocates.
 */
import type { Statement } from './job.js';

interface Entry {
  readonly name: string;
  used: number;
}

export class StatementCache {
  readonly #entries = new Map<Statement, Entry>();
  readonly #limit: number;
  readonly #prefix: string;
  #clock = 0;
  #named = 0;
  #asked = 0;

  /** `limit` is the most statements kept prepared; `prefix` keeps the names of two caches apart. */
  constructor(limit: number, prefix = 's') {
    this.#limit = limit;
    this.#prefix = prefix;
  }

  /** find is the name a statement is prepared under, or undefined. */
  find(statement: Statement): string | undefined {
    const entry = this.#entries.get(statement);
    if (entry === undefined) return undefined;
    entry.used = ++this.#clock;
    return entry.name;
  }

  /**
   * hasRoom tells whether one more may be prepared now. Once it is full, one in sixteen that ask may push another out:
   * more texts than it holds, asked for in turn, would otherwise be prepared and deallocated each time.
   */
  hasRoom(): boolean {
    return this.#entries.size < this.#limit || (++this.#asked & 15) === 0;
  }

  /** add gives a statement a name that was never used on this connection. */
  add(statement: Statement): string {
    const name = `${this.#prefix}${(++this.#named).toString(36)}`;
    this.#entries.set(statement, { name, used: ++this.#clock });
    return name;
  }

  /** remove forgets a statement; given a name, only when it still has that one. */
  remove(statement: Statement, name?: string): void {
    if (name === undefined || this.#entries.get(statement)?.name === name)
      this.#entries.delete(statement);
  }

  /** evict forgets the least recently used statement when there are more than the limit, and returns its name. */
  evict(): string | undefined {
    if (this.#entries.size <= this.#limit) return undefined;
    let oldest: Statement | undefined;
    let used = Infinity;
    for (const [statement, entry] of this.#entries) {
      if (entry.used < used) {
        used = entry.used;
        oldest = statement;
      }
    }
    const name = this.#entries.get(oldest!)!.name;
    this.#entries.delete(oldest!);
    return name;
  }
}
