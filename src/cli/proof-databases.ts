/** The databases on which `check` proves scripts: one connection to each, opened when a script needs it. */
import { databasesOf } from '../config/databases.js';
import type { Config } from '../config/schema.js';
import { openSession, type Database } from '../pg/database.js';
import { StatementFailure } from '../pg/queryable.js';
import { typeNames } from '../proof/catalog.js';
import { Prover, type ProofLimits } from '../proof/prover.js';

/** How long PostgreSQL may take to parse one statement, ms. */
const PATIENCE = 5_000;

export interface ProofDatabase {
  readonly session: Database;
  readonly prover: Prover;
}

export class ProofDatabases {
  readonly #config: Config;
  readonly #limits: ProofLimits;
  readonly #available: ReadonlySet<string>;
  readonly #open = new Map<string, ProofDatabase>();
  readonly #lost = new Map<string, string>();

  /** `available` are the aliases of the databases that answer. */
  constructor(config: Config, limits: ProofLimits, available: ReadonlySet<string>) {
    this.#config = config;
    this.#limits = limits;
    this.#available = available;
  }

  /** of gives a database; undefined when it does not answer, or has stopped to. */
  of(alias: string): ProofDatabase | undefined {
    if (!this.#available.has(alias) || this.#lost.has(alias)) return undefined;
    let found = this.#open.get(alias);
    if (found === undefined) this.#open.set(alias, (found = this.#connect(alias)));
    return found;
  }

  #connect(alias: string): ProofDatabase {
    const settings = databasesOf(this.#config).find((one) => one.alias === alias)!;
    // Waiting for a lock is bounded by PATIENCE, which leaves the connection as it is.
    const session = openSession({ ...settings, statementTimeout: Infinity });
    const prover = new Prover(session, {
      aggregate: this.#config['json.agg.type'],
      maxResult: this.#config['pg.max_result'],
      limits: this.#limits,
      patience: PATIENCE,
    });
    return { session, prover };
  }

  /** lose records that a database has stopped answering. */
  lose(alias: string, reason: string): void {
    this.#lost.set(alias, reason);
  }

  /** What went wrong with them, a text for each. */
  errors(): string[] {
    return [...this.#lost].map(
      ([alias, reason]) => `database ${alias} does not answer any more: ${reason}`,
    );
  }

  /** typeNames gives the names of types by OID; none when the database does not answer. */
  async typeNames(alias: string, types: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
    const database = this.of(alias);
    if (database === undefined) return new Map();
    try {
      return await typeNames(database.session, types);
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.lose(alias, error.reason);
      return new Map();
    }
  }

  close(): void {
    for (const { session } of this.#open.values()) session.close();
  }
}
