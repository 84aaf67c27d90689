/** The databases on which `check` proves scripts: one connection to each, opened when a script needs it. */
import { databasesOf } from '../config/databases.js';
import type { Config } from '../config/schema.js';
import { roleOf } from '../config/settings.js';
import { openSession, type Database } from '../../postgres/lanes/database.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { missingRoles } from '../../proof/branches/catalog.js';
import { rolesOf } from '../../proof/branches/privileges.js';
import { Prover, type ProofLimits } from '../../proof/branches/prover.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';

/** How long PostgreSQL may take to parse one statement, ms. */
const PATIENCE = 5_000;

/** Connections for the analysis of statements. */
const ANALYSIS_CONNECTIONS = 2;

const NOT_ANALYSED = 'which privileges are missing, and which columns can be null, is not known';
const NEEDED =
  'this needs PostgreSQL 14, a server that accepts writes, and the right to make temporary objects (GRANT TEMPORARY ON DATABASE)';

export interface DatabaseOptions {
  /** Aliases of the databases that answer. */
  readonly available: ReadonlySet<string>;
  /** The database that takes the place of the configuration's default one; undefined to keep it. */
  readonly against?: DatabaseSettings | undefined;
  /** Whether statements are analysed, so that proofs show missing privileges and which columns can be NULL. */
  readonly analysed?: boolean;
}

export interface ProofDatabase {
  readonly session: Database;
  /** Where statements are analysed. */
  readonly analysis: Database | undefined;
  readonly prover: Prover;
}

export class ProofDatabases {
  readonly #config: Config;
  readonly #limits: ProofLimits;
  readonly #options: DatabaseOptions;
  readonly #open = new Map<string, ProofDatabase>();
  readonly #lost = new Map<string, string>();

  constructor(config: Config, limits: ProofLimits, options: DatabaseOptions) {
    this.#config = config;
    this.#limits = limits;
    this.#options = options;
  }

  /** of gives a database; undefined when it does not answer, or has stopped to. */
  of(alias: string): ProofDatabase | undefined {
    if (!this.#options.available.has(alias) || this.#lost.has(alias)) return undefined;
    let found = this.#open.get(alias);
    if (found === undefined) this.#open.set(alias, (found = this.#connect(alias)));
    return found;
  }

  #connect(alias: string): ProofDatabase {
    const { against, analysed } = this.#options;
    const configured = databasesOf(this.#config).find((one) => one.alias === alias)!;
    // Waiting for a lock is bounded by PATIENCE, which leaves the connection as it is.
    const settings = { ...(against ?? configured), statementTimeout: Infinity };
    const session = openSession(settings);
    const analysis = analysed ? openSession(settings, ANALYSIS_CONNECTIONS) : undefined;
    const prover = new Prover(session, {
      aggregate: this.#config['json.agg.type'],
      maxResult: this.#config['pg.max_result'],
      limits: this.#limits,
      patience: PATIENCE,
      analysis,
      role: roleOf(this.#config),
    });
    return { session, analysis, prover };
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

  /** warnings says what proofs on a database do not show: a text for each reason; none when it does not answer. */
  async warnings(alias: string): Promise<readonly string[]> {
    const database = this.of(alias);
    if (database === undefined) return [];
    const { session, prover } = database;
    try {
      const missing = await missingRoles(session, rolesOf(roleOf(this.#config)) ?? []);
      const isAnalysed = await prover.canAnalyse();
      return [
        ...(missing.length === 0 ? [] : [`${rolesText(missing)} not exist on database ${alias}`]),
        ...(isAnalysed ? [] : [`${NOT_ANALYSED} on database ${alias}: ${NEEDED}`]),
      ];
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.lose(alias, error.reason);
      return [];
    }
  }

  close(): void {
    for (const { session, analysis } of this.#open.values()) {
      session.close();
      analysis?.close();
    }
  }
}

function rolesText(names: readonly string[]): string {
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return names.length === 1 ? `the role ${list} does` : `the roles ${list} do`;
}
