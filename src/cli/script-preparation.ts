/**
 * What is done for stored scripts before the service starts: the table is made and the folder imported, as configured.
 * A database that is away is no reason not to start: then it is tried again beside the service, with waits that grow.
 * Scripts that are stored with another text are a reason, under the import policy `error`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/schema.js';
import { databaseOf } from '../config/databases.js';
import { scriptsTableOf } from '../config/settings.js';
import type { Logger } from '../log.js';
import type { DatabaseSettings, ScriptsTable } from '../protocol.js';

/** Wait before another attempt (milliseconds): doubled each time up to the last. */
const WAIT_FIRST = 500;
const WAIT_LAST = 15_000;

/** How long the start waits for the first attempt (milliseconds) before it goes on without it. */
const PATIENCE = 10_000;

/** What is to be prepared. */
export interface Preparation {
  readonly database: DatabaseSettings;
  readonly table: ScriptsTable;
  readonly migrate: boolean;
  readonly import: boolean;
  readonly policy: 'skip' | 'update' | 'error';
  /** Folder that is imported, absolute. */
  readonly location: string;
  /** Whether the registry is offered, which takes a folder's name. */
  readonly registry: boolean;
}

/**
 * What an attempt came to: nothing is left to do, it failed for a reason that may pass, or it was refused, for a reason
 * that keeps the service from starting.
 */
export type Attempt = 'settled' | { readonly again: string } | { readonly refused: string };

/** preparationOf gives what is to be prepared, undefined when there is nothing. */
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

/** ScriptPreparation prepares what the configuration says, at the start and when that has changed. */
export class ScriptPreparation {
  readonly #log: Logger;
  /** What the last attempts were for, and whether they are over. */
  #what = '';
  #settled = true;
  /** The attempts under way: others take their place. */
  #current: Attempts | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * prepare does what there is to do, unless it was done before. Resolves when the service can start; rejects when it
   * must not, with the reason.
   */
  async prepare(config: Config): Promise<void> {
    const preparation = preparationOf(config);
    const what = identityOf(preparation);
    if (what === this.#what && this.#settled) return;
    this.stop();
    this.#what = what;
    this.#settled = preparation === undefined;
    if (preparation === undefined) return;
    // Loaded when it is needed: without stored scripts the supervisor has no use for libpq here.
    const { attempt } = await import('./preparation-attempt.js');
    const attempts = new Attempts(
      () => attempt(preparation, this.#log),
      (refused) => {
        if (this.#current === attempts) this.#settled = true;
        if (refused !== undefined) this.#log.error(preparation.table, refused);
      },
      (reason) => {
        this.#log.warn(preparation.table, `stored scripts are not prepared yet: ${reason}`);
      },
    );
    this.#current = attempts;
    const refused = await attempts.first();
    if (refused === undefined) return;
    this.#what = '';
    throw new Error(refused);
  }

  /** stop ends the attempts. */
  stop(): void {
    this.#current?.stop();
    this.#current = undefined;
  }
}

/** Attempts at one preparation. */
class Attempts {
  readonly #attempt: () => Promise<Attempt>;
  readonly #ended: (refused?: string) => void;
  readonly #delayed: (reason: string) => void;
  /** Why the last one failed, so that it is said once. */
  #reason = '';
  #wait = WAIT_FIRST;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /**
   * `ended` is called when there will be no more, beside the service, with the reason when it was refused; `delayed`
   * when there will be another one, once for each reason.
   */
  constructor(
    attempt: () => Promise<Attempt>,
    ended: (refused?: string) => void,
    delayed: (reason: string) => void,
  ) {
    this.#attempt = attempt;
    this.#ended = ended;
    this.#delayed = delayed;
  }

  /** first makes the first attempt and gives the reason when it was refused; what is left to do follows beside. */
  async first(): Promise<string | undefined> {
    const attempt = this.#attempt();
    const late = new AbortController();
    const outcome = await Promise.race([
      attempt,
      sleep(PATIENCE, 'late' as const, { signal: late.signal }).catch(() => 'late' as const),
    ]);
    late.abort();
    if (typeof outcome === 'object' && 'refused' in outcome) return outcome.refused;
    if (outcome === 'late') {
      this.#delayed(`no answer in ${PATIENCE / 1_000} s`);
      void attempt.then((came) => this.#follow(came));
    } else this.#follow(outcome);
    return undefined;
  }

  /** stop ends them. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #follow(outcome: Attempt): void {
    if (this.#stopped) return;
    if (outcome === 'settled' || 'refused' in outcome) {
      this.#ended(outcome === 'settled' ? undefined : outcome.refused);
      return;
    }
    if (outcome.again !== this.#reason) this.#delayed((this.#reason = outcome.again));
    this.#timer = setTimeout(() => {
      void this.#attempt().then((came) => this.#follow(came));
    }, this.#wait);
    this.#wait = Math.min(this.#wait * 2, WAIT_LAST);
  }
}

/** What makes one preparation another than the last one. */
function identityOf(preparation: Preparation | undefined): string {
  if (preparation === undefined) return '';
  const { database, table, migrate, policy, location, import: imports } = preparation;
  const { host, port, alias } = database;
  return JSON.stringify([host, port, alias, table, migrate, imports, policy, location]);
}
