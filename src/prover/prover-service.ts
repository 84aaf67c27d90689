/** Proves the scripts that a service serves, after its start and whenever they or the catalogs of its databases change. */
import type { Logger } from '../log.js';
import type { Database } from '../pg/database.js';
import type { ProofNews } from '../proofs.js';
import type { ProverSettings } from '../settings.js';

export class ProverService {
  readonly #settings: ProverSettings;
  readonly #databases: ReadonlyMap<string, Database>;
  readonly #report: (news: ProofNews) => void;
  readonly #log: Logger;

  /** `databases` are those of the settings by alias, for this service alone: it closes them. `report` gets what is new. */
  constructor(
    settings: ProverSettings,
    databases: ReadonlyMap<string, Database>,
    report: (news: ProofNews) => void,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#databases = databases;
    this.#report = report;
    this.#log = log;
  }

  /** start begins; `known` is what was proved before this thread started. */
  start(known: ProofNews): void {
    this.#log.debug({ known: known.proofs.length, mode: this.#settings.mode }, 'proving scripts');
    this.#report({ proofs: [], gone: [], complete: false });
  }

  /** scriptsChanged has the stored scripts looked at now. */
  scriptsChanged(): void {
    this.#log.debug('the scripts have changed');
  }

  /** close ends the proof in progress, and closes the databases. */
  close(): Promise<void> {
    for (const database of this.#databases.values()) database.close();
    return Promise.resolve();
  }
}
