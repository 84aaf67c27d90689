/**
 * Prepares stored scripts before the service starts: creates the table and imports the folder, as configured. If the database
 * is unreachable, the service starts anyway and the preparation is retried with exponential waits. Under the import policy
 * `error`, a script that is stored with another text prevents the start.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/schema.js';
import { databaseOf } from '../config/databases.js';
import { scriptsTableOf } from '../config/settings.js';
import type { Logger } from '../../observe/log.js';
import type { DatabaseSettings, ScriptsTable } from '../../messages/database-settings.js';
import { Backoff } from '../../base/backoff.js';

/** Waits between attempts, in milliseconds. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** How long the start waits for the first attempt, in milliseconds. */
const PATIENCE = 10_000;

export interface Preparation {
  readonly database: DatabaseSettings;
  readonly table: ScriptsTable;
  readonly migrate: boolean;
  readonly import: boolean;
  readonly policy: 'skip' | 'update' | 'error';
  /** Absolute path of the imported folder. */
  readonly location: string;
  /** Whether the registry is enabled, which reserves a folder name. */
  readonly registry: boolean;
}

/**
 * The outcome of an attempt: `settled`; `failed` for a reason that the operator has to fix; `again` for a transient reason;
 * `refused` for a reason that prevents the start.
 */
export type Attempt =
  'settled' | 'failed' | { readonly again: string } | { readonly refused: string };

/** preparationOf returns what has to be prepared, undefined when nothing has to. */
function preparationOf(config: Config): Preparation | undefined {
  const table = scriptsTableOf(config);
  const migrate = config['queries.migrate_on_startup'];
  const imports = config['queries.import_on_startup'];
  if (table === undefined || (!migrate && !imports)) return undefined;
  return {
    database: databaseOf(config),
    table,
    migrate,
    import: imports,
    policy: config['queries.import_policy'],
    location: config['queries.location'],
    registry: config['queries.register_enabled'],
  };
}

/**
 * ScriptPreparation prepares stored scripts at start, when the configuration has changed, and after a failure at each
 * reload, because its cause (a password, a privilege) may have been fixed.
 */
export class ScriptPreparation {
  readonly #log: Logger;
  /** Identity of the last preparation, and whether it needs no further attempt at a reload. */
  #identity = '';
  #settled = true;
  /** The attempts in progress; a new preparation replaces them. */
  #current: Attempts | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * prepare resolves when the service can start, and rejects with the reason when it must not. It does nothing when the same
   * preparation has been settled before.
   */
  async prepare(config: Config): Promise<void> {
    const preparation = preparationOf(config);
    const identity = identityOf(preparation);
    if (identity === this.#identity && this.#settled) return;
    this.stop();
    this.#identity = identity;
    this.#settled = preparation === undefined;
    if (preparation === undefined) return;
    // Imported on demand: without stored scripts the supervisor does not need libpq here.
    const { attempt } = await import('./preparation-attempt.js');
    const attempts = new Attempts(
      () => attempt(preparation, this.#log),
      (outcome) => {
        if (this.#current === attempts) this.#settled = outcome !== 'failed';
        if (typeof outcome === 'object') this.#log.error(preparation.table, outcome.refused);
      },
      (reason) => {
        this.#log.warn(preparation.table, `stored scripts are not prepared yet: ${reason}`);
      },
    );
    this.#current = attempts;
    const refused = await attempts.first();
    if (refused === undefined) return;
    this.#identity = '';
    throw new Error(refused);
  }

  stop(): void {
    this.#current?.stop();
    this.#current = undefined;
  }
}

type Ended = Exclude<Attempt, { readonly again: string }>;

class Attempts {
  readonly #attempt: () => Promise<Attempt>;
  readonly #ended: (outcome: Ended) => void;
  readonly #delayed: (reason: string) => void;
  /** Why the last one failed, to log each reason once. */
  #reason = '';
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /**
   * `ended` is called after the last attempt, unless `first` returned its outcome; `delayed` when another attempt follows,
   * once for each reason.
   */
  constructor(
    attempt: () => Promise<Attempt>,
    ended: (outcome: Ended) => void,
    delayed: (reason: string) => void,
  ) {
    this.#attempt = attempt;
    this.#ended = ended;
    this.#delayed = delayed;
  }

  /** first makes the first attempt and resolves to the reason when it was refused; further attempts run in the background. */
  async first(): Promise<string | undefined> {
    const attempt = this.#attempt();
    const timeout = new AbortController();
    const outcome = await Promise.race([
      attempt,
      sleep(PATIENCE, 'late' as const, { signal: timeout.signal }).catch(() => 'late' as const),
    ]);
    timeout.abort();
    if (typeof outcome === 'object' && 'refused' in outcome) return outcome.refused;
    if (outcome === 'late') {
      this.#delayed(`no answer in ${PATIENCE / 1_000} s`);
      void attempt.then((late) => this.#follow(late));
    } else this.#follow(outcome);
    return undefined;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #follow(outcome: Attempt): void {
    if (this.#stopped) return;
    if (typeof outcome === 'string' || 'refused' in outcome) {
      this.#ended(outcome);
      return;
    }
    if (outcome.again !== this.#reason) this.#delayed((this.#reason = outcome.again));
    this.#timer = setTimeout(() => {
      void this.#attempt().then((next) => this.#follow(next));
    }, this.#backoff.next());
  }
}

/** Two preparations with the same identity do the same. */
function identityOf(preparation: Preparation | undefined): string {
  if (preparation === undefined) return '';
  const { database, table, migrate, policy, location, import: imports } = preparation;
  const { host, port, database: name, alias } = database;
  return JSON.stringify([host, port, name, alias, table, migrate, imports, policy, location]);
}
