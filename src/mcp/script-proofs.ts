/** Finds the proofs of scripts that are tools: each is that of one text on one database. */
import { createHash } from 'node:crypto';
import type { ProofBook } from '../proof-book.js';
import type { ProofRecord } from '../proofs.js';
import type { ReadableScript } from '../script/scripts.js';
import type { Template } from '../template/template.js';

export class ScriptProofs {
  readonly #book: ProofBook;
  readonly #hashes = new WeakMap<Template, string>();

  constructor(book: ProofBook) {
    this.#book = book;
  }

  /** Changes with the proofs. */
  get version(): number {
    return this.#book.version;
  }

  /** of gives the proof of a script on a database (its alias); undefined if there is none of exactly this text. */
  of(alias: string, { folder, name, template }: ReadableScript): ProofRecord | undefined {
    const proof = this.#book.of({ alias, script: `${folder}/${name}`, verb: 'read' });
    if (proof === undefined) return undefined;
    return proof.text === this.#hashOf(template) ? proof.record : undefined;
  }

  #hashOf(template: Template): string {
    let hash = this.#hashes.get(template);
    if (hash === undefined) {
      hash = createHash('sha256').update(template.text).digest('base64url');
      this.#hashes.set(template, hash);
    }
    return hash;
  }
}
