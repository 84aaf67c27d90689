/**
 * The servers of a database with replicas: which of them is the primary, and which one runs a job. Read-only jobs run on
 * the least busy replica that is not too far behind, and has replayed the position that the job brings; everything else, and
 * what no replica can run, on the primary. A job runs again only if it certainly did not run, was rolled back, or
 * cannot have written. All waiting is bounded.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.js';
import { onSample } from '../../observe/metrics/sampler.js';
import type { ReplicationSettings } from '../../messages/database-settings.js';
import type { Job } from '../statement/job.js';
import type { KnownPrimaries } from './known-primaries.js';
import type { ScriptCost } from '../statement/script-cost.js';
import { CHECK, RoutedJob, type Router } from './routed-job.js';
import type { Server } from './server.js';
import { ServerGauges } from './server-gauges.js';
import { ServerRoles, type ServerReport } from './server-roles.js';
import {
  endsBackend,
  isConflict,
  isReadOnlyServer,
  isUnsent,
  needsPrimary,
  type SqlFailure,
} from '../statement/sql-failure.js';
import type { WalPosition } from '../statement/wal-position.js';

/** How often servers are asked, ms; more often while jobs wait for a primary, or for a replica to replay a position. */
const INTERVAL = 1_000;
const CHANGING = 50;
const REPLAYING = 5;

const NO_PRIMARY = 'no server of the database accepts writes now';

export interface ServersReport extends ServerReport {
  /** A script that reads has failed on a replica because it writes; once for each. */
  readonly writes: (job: Job) => void;
}

export class Servers implements Router {
  readonly #servers: readonly Server[];
  readonly #settings: ReplicationSettings;
  readonly #writes: ServersReport['writes'];
  readonly #roles: ServerRoles<Server>;
  /** The costs of scripts that write although their method reads. */
  readonly #writers = new WeakSet<ScriptCost>();
  #waiting: RoutedJob[] = [];
  /** Where the search for the least busy replica begins. */
  #next = 0;
  #soon: NodeJS.Timeout | undefined;

  /** `servers`: the database's own first. */
  constructor(
    servers: readonly Server[],
    settings: ReplicationSettings,
    { changed, writes }: ServersReport,
    known: KnownPrimaries,
  ) {
    this.#servers = servers;
    this.#settings = settings;
    this.#writes = writes;
    const gauges = servers.map(({ name }) => new ServerGauges(name));
    const replaced = (server: number): void => gauges[server]!.becamePrimary();
    // Before the first job that waits is late.
    const wait = settings.failoverWait - 2 * CHANGING;
    const roles = new ServerRoles(servers, settings.maxLag, { changed, replaced }, known, wait);
    this.#roles = roles;
    onSample(() => {
      for (const [i, server] of servers.entries())
        gauges[i]!.write(roles.standingOf(server), roles.lagOf(server));
    });
    setInterval(() => this.#askAll(), INTERVAL).unref();
    this.#askAll();
  }

  /** The primary, or the server that was one last. */
  get primary(): Server {
    this.#roles.learn();
    return this.#roles.primary ?? this.#roles.last;
  }

  /** The primary; without one, a replica that serves. */
  get readable(): Server {
    return (this.hasPrimary ? undefined : this.#leastBusy(undefined)) ?? this.primary;
  }

  /** Whether a replica can run read-only jobs. */
  get hasReplica(): boolean {
    return this.#servers.some((server) => server.serves);
  }

  /** Whether a server accepts writes, as far as is known. */
  get hasPrimary(): boolean {
    const { primary } = this.#roles;
    return primary !== undefined && primary.silence?.unreachable !== true;
  }

  /** decided resolves once the first primary was chosen, or after `limit` ms. */
  async decided(limit = Infinity): Promise<void> {
    const until = performance.now() + limit;
    while (this.#roles.waits && performance.now() < until) {
      this.#askAll();
      await sleep(REPLAYING);
    }
  }

  /** read routes a job whose script only reads, unless it is known to write. It leaves with the next `flush`. */
  read(job: Job, now: number): void {
    const routed = new RoutedJob(job, this, now);
    if (job.cost !== undefined && this.#writers.has(job.cost)) routed.toPrimary();
    if (!this.#send(routed, now)) this.#wait(routed);
  }

  /** write routes a job that only the primary may run. */
  write(job: Job, now: number): void {
    const routed = new RoutedJob(job, this, now);
    routed.toPrimary();
    if (!this.#send(routed, now)) this.#wait(routed);
  }

  flush(): void {
    for (const server of this.#servers) server.flush();
  }

  applyQuota(): void {
    for (const server of this.#servers) server.applyQuota();
  }

  reroutes(job: RoutedJob, failure: SqlFailure | ServiceError): boolean {
    const { server } = job;
    if (server === undefined || job.abandoned || !('state' in failure)) return false;
    if (isUnsent(failure) && this.#isLate(job)) return false;
    const isBehind = failure.part === CHECK && failure.state === DIVISION_BY_ZERO;
    if (isBehind) server.doubt();
    const again = isBehind
      ? AGAIN
      : job.isOnReplica
        ? this.#leavesReplica(job, server, failure)
        : this.#leavesPrimary(job, server, failure);
    if (again === undefined) return false;
    job.failure = failure;
    void again.then((isRun) => {
      if (!isRun) job.fail(failure);
      else if (!job.abandoned && this.#send(job, performance.now())) this.flush();
      else this.#wait(job);
    });
    return true;
  }

  /** Whether a job that failed on a replica runs again; undefined when its failure is final. */
  #leavesReplica(job: RoutedJob, server: Server, failure: SqlFailure): Again | undefined {
    // A role that may not call HAS_REPLAYED reads from the primary.
    if (needsPrimary(failure) || (failure.part === CHECK && !failure.fatal)) {
      // A transaction that is READ ONLY everywhere.
      if (job.rolledBack !== undefined && isReadOnlyServer(failure)) return undefined;
      const { cost } = job;
      if (isReadOnlyServer(failure) && cost !== undefined && !this.#writers.has(cost)) {
        this.#writers.add(cost);
        this.#writes(job.job);
      }
      job.toPrimary();
      return AGAIN;
    }
    if (isConflict(failure)) return job.attempts < 2 ? AGAIN : undefined;
    if (!failure.fatal) return undefined;
    server.lost({ reason: failure.message, unreachable: true });
    void this.#ask(server);
    return isUnsent(failure) || job.attempts < 2 ? AGAIN : undefined;
  }

  /** Whether a job that failed on the primary runs again; undefined when its failure is final. */
  #leavesPrimary(job: RoutedJob, server: Server, failure: SqlFailure): Again | undefined {
    if (isReadOnlyServer(failure)) {
      // Its transaction was rolled back, unless it is one that commits by itself.
      if (job.statement.commits === true) return undefined;
      if (job.isOutdated) {
        job.toPrimary();
        return AGAIN;
      }
      if (job.wasReadOnly) return undefined;
      job.wasReadOnly = true;
      return this.#isReplaced(server);
    }
    if (!failure.fatal) return undefined;
    if (isUnsent(failure)) server.lost({ reason: failure.message, unreachable: true });
    this.#askAll();
    if (isUnsent(failure)) {
      job.notBefore = performance.now() + CHANGING;
      return AGAIN;
    }
    // PostgreSQL ended the session before the statement, or rolled it back.
    const isRolledBack = endsBackend(failure) && job.statement.commits !== true;
    if (isRolledBack) job.endedAt ??= performance.now();
    if (job.attempts < 2) return job.cannotWrite || isRolledBack ? AGAIN : undefined;
    // One shutdown may have ended both sessions, but an administrator or the script itself may end each, too.
    const mayBeShutdown = isRolledBack && failure.state === ADMIN_SHUTDOWN && !this.#isLate(job);
    return mayBeShutdown ? this.#isReplaced(server) : undefined;
  }

  /** Whether a server that was the primary is one no more, or cannot be reached. */
  async #isReplaced(server: Server): Again {
    const { epoch } = server;
    // A question before may have been answered before the failure.
    if (server.isAsked) await this.#ask(server);
    await this.#ask(server);
    const isGone = server.silence?.unreachable === true;
    return server.epoch !== epoch || this.#roles.primary !== server || isGone;
  }

  /** Sends a job to a server, if there is one for it now. */
  #send(job: RoutedJob, now: number): boolean {
    const server = this.#serverFor(job, now);
    if (server === undefined) return false;
    job.sentTo(server);
    const database = job.rolledBack === 'READ ONLY' ? server.readOnly : server.database;
    database.run(job, now);
    return true;
  }

  #serverFor(job: RoutedJob, now: number): Server | undefined {
    const { after } = job.job;
    if (now < job.notBefore) return undefined;
    if (!job.onPrimary) {
      const replica = this.#leastBusy(after);
      if (replica !== undefined) return replica;
      if (after !== undefined && this.hasReplica && this.#mayWait(job, now)) return undefined;
    }
    this.#roles.learn();
    if (!this.hasPrimary) return undefined;
    const primary = this.#roles.primary!;
    return this.#isLater(after) && this.#mayWait(job, now) ? undefined : primary;
  }

  /** Whether a position is one of a later primary, which this worker has not seen yet. */
  #isLater(after: WalPosition | undefined): boolean {
    const timeline = this.#roles.primary?.state?.timeline ?? Infinity;
    return after !== undefined && after.timeline > timeline;
  }

  /** Whether a job has waited for a primary as long as it may. */
  #isLate({ began, endedAt = began }: RoutedJob, now = performance.now()): boolean {
    return now - endedAt >= this.#settings.failoverWait;
  }

  /** Whether a job may still wait for a server that has replayed its position. */
  #mayWait({ began }: RoutedJob, now: number): boolean {
    return now - began < this.#settings.lsnWait;
  }

  #leastBusy(after: WalPosition | undefined): Server | undefined {
    let best: Server | undefined;
    const { length } = this.#servers;
    this.#next = (this.#next + 1) % length;
    for (let i = 0; i < length; i++) {
      const server = this.#servers[(this.#next + i) % length]!;
      if (!server.serves || (after !== undefined && !server.hasReplayed(after))) continue;
      if (best === undefined || server.running < best.running) best = server;
    }
    return best;
  }

  /** Has a job wait for a server, or fails it when it has waited long enough. */
  #wait(job: RoutedJob): void {
    const now = performance.now();
    const replays = job.job.after !== undefined && this.#mayWait(job, now);
    if (job.abandoned) job.fail(new ServiceError('timeout'));
    else if (this.#waiting.length >= this.#servers[0]!.mostWaiting)
      job.fail(new ServiceError('busy', 'too many statements wait for a server already'));
    else if (!replays && this.#isLate(job, now))
      job.fail(job.failure ?? new ServiceError('busy', NO_PRIMARY));
    else {
      this.#waiting.push(job);
      // The state of replicas may be a second old.
      const pause = job.waits ? REPLAYING : 0;
      job.waits = true;
      this.#soon ??= setTimeout(this.#hurry, replays && this.hasReplica ? pause : CHANGING);
    }
  }

  /** Asks those servers that waiting jobs need. */
  readonly #hurry = (): void => {
    this.#soon = undefined;
    const all = !this.hasPrimary || this.#waiting.some(({ job }) => this.#isLater(job.after));
    for (const server of this.#servers) if (all || server.serves) void this.#ask(server);
    this.#dispatch();
  };

  #dispatch(): void {
    const now = performance.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const job of waiting) if (job.abandoned || !this.#send(job, now)) this.#wait(job);
    this.flush();
  }

  #askAll(): void {
    for (const server of this.#servers) void this.#ask(server);
  }

  async #ask(server: Server): Promise<void> {
    if (!server.isAsked) this.#roles.asks(server);
    await server.ask();
    this.#roles.answered(server, performance.now());
    if (this.#waiting.length > 0) this.#dispatch();
  }
}

type Again = Promise<boolean>;

const AGAIN: Again = Promise.resolve(true);

/** SQLSTATE of HAS_REPLAYED: the server crashed since it was asked, or a connection leads to another one. */
const DIVISION_BY_ZERO = '22012';

/** SQLSTATE admin_shutdown: the server shuts down, or the session alone was ended. */
const ADMIN_SHUTDOWN = '57P01';
