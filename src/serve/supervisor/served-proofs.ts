/**
 * The proofs of the scripts that HTTP processes with the same settings serve. The prover of the first one reports them, and
 * each of them gets them all: what is known before its start, then what changes. They outlive each process.
 */
import { updateChunks, type ProofUpdate } from '../../messages/proofs.js';
import { ProofCache } from '../../messages/proof-cache.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import type { HttpSettings } from '../../messages/http-settings.js';

type Prover = NonNullable<HttpSettings['prover']>;

/** A process, as far as it gets proofs. */
export interface ProofReader {
  proved(update: ProofUpdate): void;
}

export class ServedProofs {
  readonly #cache = new ProofCache();
  readonly #readers = new Set<ProofReader>();
  readonly #prover: Prover | undefined;

  /** After a reload, `before` are the proofs of the processes until then: those that still apply are known. */
  constructor([first]: readonly HttpSettings[], before?: ServedProofs) {
    this.#prover = first?.prover;
    const known = this.#prover && before?.updateFor(this.#prover);
    if (known !== undefined) this.#cache.apply(known);
  }

  /** updateFor gives what is known that applies to a prover with other settings, undefined when nothing does. */
  updateFor(prover: Prover): ProofUpdate | undefined {
    const own = this.#prover;
    if (own === undefined || sourceOf(prover) !== sourceOf(own)) return undefined;
    const places = new Set(own.databases.map(placeOf));
    const kept = prover.databases.filter((one) => places.has(placeOf(one)));
    const aliases = new Set(kept.map(({ alias }) => alias));
    const { proofs, complete } = this.#cache.contents();
    return {
      proofs: proofs.filter(({ alias }) => aliases.has(alias)),
      gone: [],
      complete: complete && kept.length === prover.databases.length,
    };
  }

  /** chunks gives everything, for a process that starts. */
  chunks(): readonly ProofUpdate[] {
    return updateChunks(this.#cache.contents());
  }

  add(reader: ProofReader): void {
    this.#readers.add(reader);
  }

  remove(reader: ProofReader): void {
    this.#readers.delete(reader);
  }

  /** apply takes what the prover has found, and sends it to all processes. */
  apply(update: ProofUpdate): void {
    this.#cache.apply(update);
    for (const reader of this.#readers) reader.proved(update);
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
