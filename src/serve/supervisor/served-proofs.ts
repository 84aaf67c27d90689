/**
 * The proofs of the scripts that HTTP processes with the same settings serve. The prover of the first one reports them, and
 * each of them gets them all: what is known before its start, then what changes. They outlive each process.
 */
import { newsPieces, type ProofNews } from '../../messages/proofs.js';
import { ProofBook } from '../../messages/proof-book.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import type { HttpSettings } from '../../messages/http-settings.js';

type Prover = NonNullable<HttpSettings['prover']>;

/** A process, as far as it gets proofs. */
export interface ProofReader {
  proved(news: ProofNews): void;
}

export class ServedProofs {
  readonly #book = new ProofBook();
  readonly #readers = new Set<ProofReader>();
  readonly #prover: Prover | undefined;

  /** After a reload, `before` are the proofs of the processes until then: those that still apply are known. */
  constructor([first]: readonly HttpSettings[], before?: ServedProofs) {
    this.#prover = first?.prover;
    const known = this.#prover && before?.newsFor(this.#prover);
    if (known !== undefined) this.#book.apply(known);
  }

  /** newsFor gives what is known that applies to a prover with other settings, undefined when nothing does. */
  newsFor(prover: Prover): ProofNews | undefined {
    const own = this.#prover;
    if (own === undefined || sourceOf(prover) !== sourceOf(own)) return undefined;
    const places = new Set(own.databases.map(placeOf));
    const kept = prover.databases.filter((one) => places.has(placeOf(one)));
    const aliases = new Set(kept.map(({ alias }) => alias));
    const { proofs, complete } = this.#book.news();
    return {
      proofs: proofs.filter(({ alias }) => aliases.has(alias)),
      gone: [],
      complete: complete && kept.length === prover.databases.length,
    };
  }

  /** pieces gives everything, for a process that starts. */
  pieces(): readonly ProofNews[] {
    return newsPieces(this.#book.news());
  }

  add(reader: ProofReader): void {
    this.#readers.add(reader);
  }

  remove(reader: ProofReader): void {
    this.#readers.delete(reader);
  }

  /** apply takes what the prover has found, and sends it to all processes. */
  apply(news: ProofNews): void {
    this.#book.apply(news);
    for (const reader of this.#readers) reader.proved(news);
  }
}

/** What decides which scripts there are, and what is kept of their proofs. */
function sourceOf({ mode, defaultAlias, scripts, scriptsTable, role }: Prover): string {
  return JSON.stringify([mode, defaultAlias, scripts, scriptsTable, role]);
}

/** A new password does not make another database. */
function placeOf({ alias, host, port, database }: DatabaseSettings): string {
  return JSON.stringify([alias, host, port, database]);
}
