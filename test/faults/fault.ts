/** A fault: how it begins, how long it lasts and how it ends. */
import type { Ledger } from './ledger.js';
import type { Load } from './load.js';
import type { Random } from '../../bench/random.js';
import type { RequestKind } from './requests.js';
import type { Site } from './site.js';

/** What a fault has at hand. */
export interface Scene {
  readonly site: Site;
  readonly load: Load;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly next: () => number;
}

/** What a fault leaves to be done. */
export interface Injected {
  /** Ends the fault; the time to recover runs from then on. Without it the fault is over, or lasts for good. */
  readonly recover?: () => unknown;
  /** Clears up once the service has recovered. */
  readonly clear?: () => unknown;
}

export interface Fault {
  readonly name: string;
  /** Begins it. A fault that needs no end of its own may also be carried out whole. */
  readonly inject: (scene: Scene) => Promise<Injected | undefined> | Promise<void>;
  /** Least and most milliseconds from its beginning to its end. */
  readonly lasts?: readonly [number, number];
  /** The first version of PostgreSQL that has what it uses; others leave it out. */
  readonly since?: number;
  /** How often it is tried instead of --rounds. */
  readonly times?: number;
  /** Requests that are sent besides the usual ones. */
  readonly requests?: readonly RequestKind[];
  /** Whether it needs a service that has not been through other faults. */
  readonly fresh?: boolean;
  /** Clients are to notice nothing (Tally.unnoticed). */
  readonly unnoticed?: boolean;
  /** Answers may end early, because the process that sends them is killed. */
  readonly mayCut?: boolean;
}
