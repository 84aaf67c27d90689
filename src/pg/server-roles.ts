/**
 * The roles of the servers of a database, from what they say about themselves. The primary is the server that is in no
 * recovery; if several say so, that of the highest timeline, which PostgreSQL begins with each promotion. A server of a
 * lower timeline than was seen is not the primary, unless the server of that timeline has given it up, nor one of another
 * cluster. Of an engine without a write-ahead log of PostgreSQL the first server alone is used. Replicas serve while they are
 * within the limit of lag. Each change is reported once.
 */
import { ReplicaLag, type LagLimit } from './replica-lag.js';
import type { ServerState, Silence } from './server.js';

/** What a server is seen as. */
export type ServerStanding =
  'unknown' | 'primary' | 'serving' | 'silent' | 'behind' | 'diverged' | 'foreign' | 'outdated';

/** A server as its role is decided. */
export interface RoledServer {
  readonly state: ServerState | undefined;
  readonly silence: Silence | undefined;
  serves: boolean;
  ahead: boolean;
  isPrimary: boolean;
}

/** How far a replica is behind the primary; `time` is ms. */
export interface Lag {
  readonly bytes: number;
  readonly time: number;
}

const NO_LAG: Lag = { bytes: 0, time: 0 };

export interface ServerReport {
  /** The standing of a server, by its index, has changed; `reason` has more about it. */
  readonly changed: (server: number, standing: ServerStanding, reason: string) => void;
}

interface RolesReport extends ServerReport {
  /** A server, by its index, has replaced the one that was known as the primary. */
  readonly replaced: (server: number) => void;
}

/** Part of the limit of lag within which a replica serves again. */
const CAUGHT_UP = 0.5;

export class ServerRoles<Server extends RoledServer> {
  /** The server that accepts writes; undefined while none is known to. */
  primary: Server | undefined;
  /** The server that was the primary last. */
  last: Server;
  readonly #servers: readonly Server[];
  readonly #lag: ReplicaLag;
  readonly #report: RolesReport;
  readonly #standings = new Map<Server, ServerStanding>();
  /** Of the primary, when its question was sent: what each replica had replayed by then. */
  readonly #replayed = new Map<Server, bigint>();
  /** The highest timeline of a primary. */
  #timeline = 0;
  /** The cluster of the first server, once that has answered; else of the first one that has. */
  #cluster: string | undefined;

  /** The first of `servers` is the primary until something else is known. */
  constructor(servers: readonly Server[], limit: LagLimit, report: RolesReport) {
    this.#servers = servers;
    this.#report = report;
    this.#lag = new ReplicaLag(limit);
    this.primary = this.last = servers[0]!;
  }

  /** asks notes that a server is about to be asked: what it answers is about a later time. */
  asks(server: Server): void {
    if (server !== this.primary) return;
    for (const other of this.#servers) {
      const { state } = other;
      if (other !== server && state !== undefined) this.#replayed.set(other, state.lsn);
      else this.#replayed.delete(other);
    }
  }

  /** answered takes note of what a server said, or that it said nothing, at time `now`, ms. */
  answered(server: Server, now: number): void {
    const first = this.#servers[0]!;
    if (server.state !== undefined && (this.#cluster === undefined || server === first)) {
      const known = first.state ?? (first.silence === undefined ? undefined : server.state);
      this.#cluster = known?.cluster ?? this.#cluster;
    }
    this.#elect();
    const { primary } = this;
    if (server === primary && server.state !== undefined) {
      const { lsn } = server.state;
      this.#lag.primaryAt(lsn, now);
      for (const [other, replayed] of this.#replayed) other.ahead ||= replayed > lsn;
      this.#replayed.clear();
    }
    for (const one of this.#servers) this.#place(one);
  }

  /** standingOf is what a server is seen as. */
  standingOf(server: Server): ServerStanding {
    return this.#standings.get(server) ?? 'unknown';
  }

  /** lagOf is how far a server is behind; undefined if it does not answer or does not follow this primary. */
  lagOf(server: Server): Lag | undefined {
    const standing = this.standingOf(server);
    if (standing === 'primary') return NO_LAG;
    if (server.state === undefined || (standing !== 'serving' && standing !== 'behind'))
      return undefined;
    const { lsn } = server.state;
    return { bytes: this.#lag.bytes(lsn), time: this.#lag.time(lsn) };
  }

  #elect(): void {
    const { last } = this;
    const isKnown = this.#timeline > 0;
    const { state: former } = last;
    // The server that had the highest timeline follows a lower one again: it was rewound, and nobody has that timeline.
    if (former?.replica === true && former.timeline > 0 && former.timeline < this.#timeline)
      this.#timeline = former.timeline - 1;
    let best: Server | undefined;
    for (const server of this.#servers) {
      const { state } = server;
      if (state === undefined || state.replica || state.cluster !== this.#cluster) continue;
      // Each promotion begins a timeline: another server of the same one is a copy.
      if (state.timeline > (server === this.last ? this.#timeline - 1 : this.#timeline)) {
        best = server;
        this.#timeline = state.timeline;
        this.last = server;
      }
    }
    if (isKnown && this.last !== last) this.#report.replaced(this.#servers.indexOf(this.last));
    const before = this.primary;
    if (best !== undefined) this.primary = best;
    else if (before?.state?.replica === true) this.primary = undefined;
    if (this.primary === before) return;
    this.#replayed.clear();
    for (const server of this.#servers) {
      server.isPrimary = server === this.primary;
      server.ahead = false;
    }
  }

  /** Decides whether a server serves, and reports what it is seen as. */
  #place(server: Server): void {
    const [standing, reason] = this.#seenAs(server);
    server.serves = standing === 'serving';
    if (this.#standings.get(server) === standing) return;
    this.#standings.set(server, standing);
    this.#report.changed(this.#servers.indexOf(server), standing, reason);
  }

  #seenAs(server: Server): [standing: ServerStanding, reason: string] {
    const { state, silence } = server;
    if (state === undefined)
      return silence === undefined ? ['unknown', ''] : ['silent', silence.reason];
    if (this.#cluster === undefined) return ['unknown', ''];
    if (state.cluster !== this.#cluster) return ['foreign', 'it has the data of another cluster'];
    if (server === this.primary) return ['primary', `timeline ${state.timeline}`];
    if (state.engine !== undefined)
      return [
        'foreign',
        `${state.engine} has no standby servers; use a load balancer for its nodes`,
      ];
    if (!state.replica) return ['outdated', `it accepts writes too, on timeline ${state.timeline}`];
    if (state.timeline !== 0 && state.timeline < this.#timeline)
      return ['diverged', `it follows timeline ${state.timeline}, not ${this.#timeline}`];
    if (server.ahead) return ['diverged', 'it has replayed what the primary does not have'];
    const behind = this.#lag.behind(state.lsn);
    const limit = this.#standings.get(server) === 'behind' ? CAUGHT_UP : 1;
    return behind > limit
      ? ['behind', 'it is further behind the primary than pg.max_lag']
      : ['serving', ''];
  }
}
