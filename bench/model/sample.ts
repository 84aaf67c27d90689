/** A measurement of the service, from which costs are calculated, and with which predictions are compared. */
import type { Layout } from '../contestants.js';

/** The parts of the way of a request: each is a kind of thread. */
export const PARTS = ['generator', 'http', 'worker', 'backend'] as const;
export type Part = (typeof PARTS)[number];

export interface Sample {
  /** Name of the case. */
  readonly case: string;
  readonly layout: Layout;
  /** Connections of the clients. */
  readonly connections: number;
  /** Responses per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of CPUs kept busy by other programs. */
  readonly otherLoad: number;
  /** Microseconds of CPU, and number of sleeps, per request. */
  readonly parts: Readonly<Record<Part, { readonly cpu: number; readonly sleeps: number }>>;
}
