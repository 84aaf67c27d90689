/**
 * The connections of a query worker to PostgreSQL and the statements on them, as in src/postgres/lanes/scheduler.ts: fast statements
 * share the pipelines of a few connections, a slow one has a connection to itself. The number of shared pipelines is tuned by
 * the service's own code.
 */
import { LaneCount, SHARED } from '#app/postgres/lanes/lane-count.js';
import { DEPTH, SPREAD } from '#app/postgres/lanes/scheduler.js';
import type { Clock } from './clock.js';
import type { Request } from './request.js';

/** Weight of a statement in the average time of one, as in src/postgres/statement/script-cost.ts. */
const WEIGHT = 0.1;

/** A connection, and what it sends to. */
export interface Connection {
  send(request: Request): void;
  inFlight: number;
  exclusive: boolean;
  /** When the statement at the head of the pipeline got there, µs. */
  headSince: number;
}

export class Lanes {
  readonly #clock: Clock;
  readonly #connections: readonly Connection[];
  readonly #count = new LaneCount(() => this.#fast.length);
  readonly #fast: Request[] = [];
  readonly #slow: Request[] = [];
  #inFlight = 0;
  /** Average time of a fast statement at the head of a pipeline, ms. */
  #time = 0;

  constructor(clock: Clock, connections: readonly Connection[]) {
    this.#clock = clock;
    this.#connections = connections;
  }

  /** run sends a statement, or queues it. */
  run(request: Request): void {
    request.queued = this.#clock.now;
    (request.slow ? this.#slow : this.#fast).push(request);
    this.#dispatch();
  }

  /** ended takes a statement off its connection. */
  ended(request: Request): void {
    const { now } = this.#clock;
    const connection = request.connection!;
    connection.inFlight -= 1;
    if (request.slow) connection.exclusive = false;
    else {
      this.#inFlight -= 1;
      this.#time += ((now - connection.headSince) / 1000 - this.#time) * WEIGHT;
      this.#count.record(request.queued / 1000, now / 1000);
    }
    connection.headSince = now;
    this.#dispatch();
  }

  #dispatch(): void {
    for (let request = this.#fast[0]; request; request = this.#fast[0]) {
      const connection = this.#shared();
      if (!connection) break;
      this.#fast.shift();
      this.#inFlight += 1;
      this.#send(connection, request);
    }
    for (let request = this.#slow[0]; request; request = this.#slow[0]) {
      const connection = this.#idle();
      if (!connection) break;
      this.#slow.shift();
      connection.exclusive = true;
      this.#send(connection, request);
    }
  }

  #send(connection: Connection, request: Request): void {
    if (connection.inFlight === 0) connection.headSince = this.#clock.now;
    connection.inFlight += 1;
    request.connection = connection;
    connection.send(request);
  }

  /** The shared pipeline with the fewest statements, if it has room. */
  #shared(): Connection | undefined {
    const expected = Math.ceil(((this.#inFlight + 1) * this.#time) / SPREAD);
    const all = this.#connections.length;
    let lanes = this.#count.choose(Math.max(SHARED, expected), all, this.#clock.now / 1000);
    if (this.#slow.length > 0) lanes = Math.min(lanes, Math.ceil(all / 2));
    let best: Connection | undefined;
    for (const connection of this.#connections) {
      if (connection.exclusive) continue;
      if (connection.inFlight < (best?.inFlight ?? DEPTH)) best = connection;
      lanes -= 1;
      if (lanes <= 0) break;
    }
    return best;
  }

  /** A connection for a slow statement, if there is one and some remain for fast ones. */
  #idle(): Connection | undefined {
    const all = this.#connections.length;
    const limit = Math.max(1, all - (all > 5 ? SHARED : 1));
    if (this.#connections.filter(({ exclusive }) => exclusive).length >= limit) return undefined;
    return this.#connections.findLast(({ exclusive, inFlight }) => !exclusive && inFlight === 0);
  }
}
