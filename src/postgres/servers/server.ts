/**
 * One server of a database as a worker uses it: its connections for statements and those for read-only ones, which are
 * borrowed from the same quota, and what the server last said about itself when there are several.
 */
import { DATABASE, DATABASES } from '../../observe/metrics/catalogue.js';
import { onSample } from '../../observe/metrics/sampler.js';
import { row } from '../../observe/metrics/thread.js';
import { shownAlias, type DatabaseSettings } from '../../messages/database-settings.js';
import type { BorrowerQuota, ConnectionQuota } from '../connection/connection-quota.js';
import { Database } from '../lanes/database.js';
import { StatementFailure } from '../statement/queryable.js';
import type { ResultBudget } from '../connection/result-budget.js';
import { parsePosition, type WalPosition } from '../statement/wal-position.js';

/** How long a server has for an answer about itself, ms: well above what a busy worker takes. */
const LIMIT = 3_000;

/**
 * Whether it is a replica; the position that it has replayed, or flushed as a primary; its timeline: of a replica from
 * its WAL receiver, which PostgreSQL shows to roles with pg_read_all_stats, without a receiver the least possible one, below
 * 0; and the identity of the cluster, which replicas share with their primary.
 */
const ABOUT = `SELECT replica,
    CASE WHEN replica THEN pg_catalog.pg_last_wal_replay_lsn() ELSE pg_catalog.pg_current_wal_flush_lsn() END,
    CASE WHEN replica THEN coalesce(
        (SELECT coalesce(received_tli, 0) FROM pg_catalog.pg_stat_wal_receiver LIMIT 1),
        (SELECT 0 OPERATOR(pg_catalog.-) greatest(timeline_id, min_recovery_end_timeline)
          FROM pg_catalog.pg_control_checkpoint(), pg_catalog.pg_control_recovery()))::text
      ELSE pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_flush_lsn()), 1, 8) END,
    (SELECT system_identifier FROM pg_catalog.pg_control_system())
  FROM (SELECT pg_catalog.pg_is_in_recovery() AS replica OFFSET 0) AS s`;

/** What a server said about itself. */
export interface ServerState extends WalPosition {
  readonly replica: boolean;
  readonly cluster: string;
  /** Whether it is a replica without a WAL receiver: its timeline is at least the one given. */
  readonly isAlone?: boolean;
  /** What it is when it has no write-ahead log of PostgreSQL, and so neither a position nor standby servers. */
  readonly engine?: string;
}

/** Why a server said nothing: it cannot be reached, or is too busy. */
export interface Silence {
  readonly reason: string;
  readonly unreachable: boolean;
}

export class Server {
  readonly database: Database;
  /** Most jobs that may wait for it. */
  readonly mostWaiting: number;
  /** Undefined until it has answered, and while it does not. */
  state: ServerState | undefined;
  /** Why it does not answer. */
  silence: Silence | undefined;
  /** Whether it gets statements that only read, as a replica that is not too far behind. */
  serves = false;
  /** Whether it was seen ahead of the primary: then it is not one of its replicas. */
  ahead = false;
  /** Changes with its role: what began before was sent to a server in another role. */
  epoch = 0;
  /** Number of routed jobs that it runs. */
  running = 0;
  /** Host and port. */
  readonly address: string;
  readonly #settings: DatabaseSettings;
  /** The database of read-only connections, and their quota. */
  readonly #borrower: { readonly database: Database; readonly quota: BorrowerQuota } | undefined;
  /** How often there was reason to doubt its position: after a crash it may have replayed less than before. */
  #doubts = 0;
  /** The same when the question was sent that it answered last: an answer counts for what was doubted before. */
  #doubtsAsked = 0;
  #asking: Promise<void> | undefined;
  #isPrimary: boolean;

  /**
   * `readOnly` are the settings of read-only connections; undefined when nothing uses them. `isPrimary`: connections are
   * for statements that write, too.
   */
  constructor(
    settings: DatabaseSettings,
    readOnly: DatabaseSettings | undefined,
    quota: ConnectionQuota,
    budget: ResultBudget,
    isPrimary = true,
  ) {
    const { conninfo, readOnlyConninfo = conninfo } = settings;
    const first = isPrimary ? settings : { ...settings, conninfo: readOnlyConninfo };
    const database = new Database(first, budget, quota);
    this.address = `${settings.host}:${settings.port}`;
    this.#settings = settings;
    this.#isPrimary = isPrimary;
    this.database = database;
    if (settings.readOnlyConninfo !== undefined) database.onLost = () => this.doubt();
    this.mostWaiting = settings.waiting;
    const counts = row(DATABASES, [shownAlias(settings)]);
    onSample(() => (counts[DATABASE.most] = quota.total));
    if (readOnly === undefined) return;
    const borrowed = quota.lend(readOnly.connections, {
      wanted: () => database.applyQuota(),
      freed: () => borrower.applyQuota(),
      needed: () => borrower.closeIdle(),
    });
    const borrower = new Database(readOnly, budget, borrowed);
    borrower.onLost = database.onLost;
    this.#borrower = { database: borrower, quota: borrowed };
  }

  /** The database for read-only jobs: on connections of its own, unless there is only one connection in all. */
  get readOnly(): Database {
    const borrower = this.#borrower;
    return borrower !== undefined && borrower.quota.limit > 0 ? borrower.database : this.database;
  }

  get name(): string {
    return shownAlias(this.#settings);
  }

  get isPrimary(): boolean {
    return this.#isPrimary;
  }

  /**
   * Connections to a replica are read-only even if it is promoted meanwhile, so that a statement sent to a replica never
   * writes. They are replaced when its role changes. What a primary was running that does not answer, and that another one
   * has replaced, fails at once: nobody will learn more about it.
   */
  set isPrimary(isPrimary: boolean) {
    if (isPrimary === this.#isPrimary) return;
    this.#isPrimary = isPrimary;
    this.serves = false;
    this.epoch++;
    const { conninfo, readOnlyConninfo = conninfo } = this.#settings;
    this.database.redirect(isPrimary ? conninfo : readOnlyConninfo, this.silence === undefined);
  }

  /** hasReplayed tells whether it is known to have replayed a position, on the timeline of that or a later one. */
  hasReplayed({ timeline, lsn }: WalPosition): boolean {
    if (this.state === undefined || this.#doubts > this.#doubtsAsked || this.state.lsn < lsn)
      return false;
    return this.state.timeline === 0 || this.state.timeline >= timeline;
  }

  /** doubt notes that it may have replayed less than it said: until it is asked again, it is not known what. */
  doubt(): void {
    this.#doubts++;
  }

  /** Whether it has positions in a write-ahead log, as far as is known. */
  get hasPositions(): boolean {
    return this.state?.engine === undefined;
  }

  get isAsked(): boolean {
    return this.#asking !== undefined;
  }

  /** ask updates `state` and `silence`; one question at a time. Never rejects. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const doubts = this.#doubts;
    const known = this.state?.engine;
    const [engine, { result, failure }] = await Promise.all([
      known ?? this.#foreignEngine(),
      this.database.queryWithin(LIMIT, known === undefined ? ABOUT : 'SELECT 1'),
    ]);
    // It may know nothing of ABOUT, and answers all the same.
    const answers = failure === undefined || ('state' in failure && !failure.fatal);
    if (engine !== undefined && answers) {
      this.state = { replica: false, lsn: 0n, timeline: 0, cluster: engine, engine };
      this.silence = undefined;
      return;
    }
    const state = result && stateOf(result.rows?.[0] ?? []);
    if (state !== undefined) {
      const isAlone = state.timeline < 0;
      // A WAL receiver that is gone has shown the timeline before.
      const least = Math.max(-state.timeline, this.state?.timeline ?? 0);
      this.state = { ...state, timeline: state.timeline > 0 ? state.timeline : least, isAlone };
      this.#doubtsAsked = doubts;
      this.silence = undefined;
      return;
    }
    const unreachable = failure !== undefined && 'state' in failure && failure.fatal;
    this.lost({ reason: failure?.message ?? 'its answer makes no sense', unreachable });
  }

  /** The engine when it is no PostgreSQL; undefined too when it does not say so now. */
  async #foreignEngine(): Promise<string | undefined> {
    try {
      const { isPostgres, title } = await this.database.engine();
      return isPostgres ? undefined : title;
    } catch (error) {
      if (error instanceof StatementFailure) return undefined;
      throw error;
    }
  }

  /** lost notes that it does not answer. */
  lost(silence: Silence): void {
    this.silence = silence;
    this.state = undefined;
    this.serves = false;
    this.ahead = false;
  }

  flush(): void {
    this.database.flush();
    this.#borrower?.database.flush();
  }

  applyQuota(): void {
    this.database.applyQuota();
    if (this.#borrower === undefined) return;
    const { database, quota } = this.#borrower;
    database.applyQuota();
    if (quota.limit === 0) database.moveWaiting(this.database);
  }
}

function stateOf([replica, at, timeline, cluster]: readonly (string | null)[]):
  ServerState | undefined {
  // A replica that has replayed nothing yet has no position.
  const position = parsePosition(at ?? '0/0');
  if (position === undefined || !cluster) return undefined;
  return {
    replica: replica === 't',
    lsn: position.lsn,
    timeline: Number.parseInt(timeline ?? '0', replica === 't' ? 10 : 16),
    cluster,
  };
}
