/**
 * The roles of the servers of a database, from what they say about themselves. The primary is the server that is in no
 * recovery; if several say so, the one on the highest timeline, which PostgreSQL begins with each promotion. A server of a
 * lower timeline than any worker has seen is not the primary, unless the server of that timeline has given it up, nor one of
 * another cluster. At first, no server is the primary before all have answered, or as many as do in time. Of an engine without
 * a write-ahead log of PostgreSQL the first server alone is used. Replicas serve while they are within the limit of lag. Each
 * change is reported once.
 */
import { performance } from 'node:perf_hooks';
import type { KnownPrimaries } from './known-primaries.js';
import { ReplicaLag, type LagLimit } from './replica-lag.js';
import type { ServerState, Silence } from './server.js';

export type ServerStanding =
  'unknown' | 'primary' | 'serving' | 'silent' | 'behind' | 'diverged' | 'foreign' | 'outdated';

/** A server as its role is decided. */
export interface RoledServer {
  /** Host and port. */
  readonly address: string;
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
  /** Whether the first primary was not chosen yet. */
  waits = true;
  readonly #servers: readonly Server[];
  readonly #lag: ReplicaLag;
  readonly #report: RolesReport;
  readonly #standings = new Map<Server, ServerStanding>();
  /** Of the primary, when its question was sent: what each replica had replayed by then. */
  readonly #replayed = new Map<Server, bigint>();
  /** The cluster by the list of servers, once a primary was chosen; by server, the highest timeline that it was primary of. */
  readonly #known: KnownPrimaries;
  readonly #list: string;
  #version = 0n;
  /** No server is the primary until each has answered once, or this time, ms. */
  readonly #waitsUntil: number;
  readonly #unheard: Set<Server>;
  /** The highest timeline of a primary, which was `last`'s. */
  #timeline = 0;
  /** The same when `last` was asked: an answer to an earlier question may be from before that timeline. */
  #timelineAsked = 0;
  /** The cluster of the first server, once that has answered; else of the first one that has. */
  #cluster: string | undefined;

  /** The first primary is chosen after `wait` ms at the latest, at once where other workers have chosen one. */
  constructor(
    servers: readonly Server[],
    limit: LagLimit,
    report: RolesReport,
    known: KnownPrimaries,
    wait: number,
  ) {
    this.#servers = servers;
    this.#report = report;
    this.#lag = new ReplicaLag(limit);
    this.#known = known;
    this.#list = servers.map(({ address }) => address).join(' ');
    this.#unheard = new Set(servers);
    this.#waitsUntil = performance.now() + wait;
    this.last = servers[0]!;
    const cluster = known.get(this.#list);
    if (cluster !== 0n) this.#cluster = String(cluster);
    this.#elect();
  }

  /** learn takes over what other workers have seen since it was called last. */
  learn(): void {
    if (this.#known.version === this.#version) return;
    this.#elect();
    for (const one of this.#servers) this.#place(one);
  }

  /** asks notes that a server is about to be asked: its answer is about a later time. */
  asks(server: Server): void {
    if (server === this.last) this.#timelineAsked = this.#timeline;
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
    if (server.state !== undefined) this.#unheard.delete(server);
    if (server === this.last) this.#takeBack();
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

  /** The server that had the highest timeline follows a lower one again: it was rewound, and no server has that timeline. */
  #takeBack(): void {
    const { state } = this.last;
    if (state?.replica !== true || state.timeline === 0 || state.timeline >= this.#timeline) return;
    if (state.isAlone === true || this.#timelineAsked !== this.#timeline) return;
    this.#known.change(this.#nameOf(this.last), BigInt(this.#timeline), BigInt(state.timeline - 1));
  }

  #elect(): void {
    const { last } = this;
    const isKnown = this.#timeline > 0;
    this.#recall();
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
    if (best !== undefined) this.#raise(this.#nameOf(best), BigInt(this.#timeline));
    if (this.waits) {
      if (!this.#isDecided()) return;
      this.waits = false;
      // Until something else is known: the primary of other workers, or the first server.
      this.#become(this.last);
    }
    if (/^-?\d+$/.test(this.#cluster ?? ''))
      this.#known.change(this.#list, this.#known.get(this.#list), BigInt(this.#cluster!));
    if (isKnown && this.last !== last) this.#report.replaced(this.#servers.indexOf(this.last));
    const { replica, timeline = Infinity } = this.primary?.state ?? {};
    if (best !== undefined) this.#become(best);
    else if (replica === true || timeline < this.#timeline || this.primary !== this.last)
      this.#become(undefined);
  }

  #isDecided(): boolean {
    if (this.#known.get(this.#list) !== 0n || this.#unheard.size === 0) return true;
    return this.#servers[0]!.state?.engine !== undefined || performance.now() >= this.#waitsUntil;
  }

  #nameOf(server: Server): string {
    return `${this.#cluster ?? ''} ${server.address}`;
  }

  #raise(name: string, timeline: bigint): void {
    const before = this.#known.get(name);
    if (before < timeline) this.#known.change(name, before, timeline);
  }

  /** Takes over the highest timeline that any worker has seen. */
  #recall(): void {
    this.#version = this.#known.version;
    this.#timeline = 0;
    for (const server of this.#servers) {
      const timeline = Number(this.#known.get(this.#nameOf(server)));
      if (timeline <= this.#timeline) continue;
      this.#timeline = timeline;
      this.last = server;
    }
  }

  #become(primary: Server | undefined): void {
    if (this.primary === primary) return;
    this.primary = primary;
    this.#replayed.clear();
    for (const server of this.#servers) {
      server.isPrimary = server === primary;
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
    if (!state.replica && this.waits) return ['unknown', ''];
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
