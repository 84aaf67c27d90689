/**
 * The state of one database in metrics, written once a second. The databases of a thread with the same alias share a row, to
 * which each adds its part.
 */
import { DATABASE } from '../../observe/metrics/catalogue.js';
import type { Connection } from '../connection/connection.js';

export interface DatabaseState {
  readonly connections: readonly Connection[];
  /** Connections that are being opened. */
  readonly opening: number;
  readonly waiting: { readonly fast: number; readonly slow: number };
}

const NOTHING: DatabaseState = { connections: [], opening: 0, waiting: { fast: 0, slow: 0 } };

export class DatabaseGauges {
  readonly #counts: Float64Array;
  /** Its part of each gauge, by index. */
  readonly #parts = new Map<number, number>();

  /** `counts` is the row of DATABASES. */
  constructor(counts: Float64Array) {
    this.#counts = counts;
  }

  write({ connections, opening, waiting }: DatabaseState): void {
    const used = connections.filter(({ inFlight }) => inFlight.size > 0);
    const slow = used.filter(({ exclusive }) => exclusive).length;
    this.#set(DATABASE.connections.used, used.length);
    this.#set(DATABASE.connections.idle, connections.length - used.length);
    this.#set(DATABASE.connections.opening, opening);
    this.#set(DATABASE.lanes.slow, slow);
    this.#set(DATABASE.lanes.fast, used.length - slow);
    this.#set(DATABASE.pending.fast, waiting.fast);
    this.#set(DATABASE.pending.slow, waiting.slow);
    this.#set(DATABASE.inFlight, sum(used.map(({ inFlight }) => inFlight.size)));
    this.#set(DATABASE.prepared, sum(connections.map(({ prepared }) => prepared.size)));
    this.#set(DATABASE.preparedBytes, sum(connections.map(({ prepared }) => prepared.length)));
  }

  /** clear takes its part back. */
  clear(): void {
    this.write(NOTHING);
  }

  #set(at: number, value: number): void {
    this.#counts[at]! += value - (this.#parts.get(at) ?? 0);
    this.#parts.set(at, value);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
