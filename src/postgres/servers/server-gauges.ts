/**
 * A server of a database with replicas in metrics, as this thread sees it. Of a server that does not answer, the lag is that
 * of before.
 */
import { SERVER, SERVERS } from '../../observe/metrics/catalogue.js';
import { row } from '../../observe/metrics/thread.js';
import type { Lag, ServerStanding } from './server-roles.js';

const STANDINGS = Object.keys(SERVER.role) as ServerStanding[];

export class ServerGauges {
  readonly #counts: Float64Array;

  /** `name` is its name in metrics. */
  constructor(name: string) {
    this.#counts = row(SERVERS, [name]);
  }

  write(standing: ServerStanding, lag: Lag | undefined): void {
    for (const one of STANDINGS) this.#counts[SERVER.role[one]] = one === standing ? 1 : 0;
    if (lag === undefined) return;
    this.#counts[SERVER.lagBytes] = lag.bytes;
    this.#counts[SERVER.lagSeconds] = lag.time / 1_000;
  }

  /** becamePrimary counts that it has replaced another primary. */
  becamePrimary(): void {
    this.#counts[SERVER.primaryChanges]! += 1;
  }
}
