/**
 * A database on which scripts are proved: whether it answers, and what its catalogs are. Looks at them take only a
 * small part of the time. While it does not answer, it is tried again after longer and longer waits.
 */
import { performance } from 'node:perf_hooks';
import { Backoff } from '../../base/backoff.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import type { Database } from '../../postgres/lanes/database.js';
import { StatementFailure, type Queryable } from '../../postgres/statement/queryable.js';
import { catalogVersion, type CatalogVersion } from '../branches/catalog-version.js';
import { namedObjects, type NamedObjects } from '../branches/named-objects.js';
import { Prover, type Pacing } from '../branches/prover.js';
import type { CatalogFingerprint } from '../../messages/proofs.js';
import type { ScriptText } from '../../script/script-text.js';
import type { ProverSettings } from '../../messages/prover-settings.js';
import { proveText, type TextProof } from '../text-proof.js';
import { CatalogChange } from './catalog-change.js';
import { dependencyDigest, wordsOf } from './dependencies.js';

/** How long a statement about the catalogs may take, ms. */
const LOOK_LIMIT = 10_000;
const CATALOGS = 'versions and names in the catalogs';

/** How long PostgreSQL may take to parse a statement, ms. */
const PATIENCE = 2_000;
/** How long it may wait for a lock on a table, ms: another attempt follows, and other scripts do not wait. */
const LOCK_LIMIT = 50;
/** Waits between attempts to reach the database, ms. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

export interface LookPace {
  /** The shortest time between looks, ms. */
  readonly catalogs: number;
  /** The part of the time that looks take at most, one in so many. */
  readonly part: number;
}

interface Catalog {
  readonly version: CatalogVersion;
  /** Undefined when they could not be read, or nothing can be proved. */
  readonly objects: NamedObjects | undefined;
}

/** What a look has found: why a text is to be proved again that names these objects. */
export type Since = (names: readonly string[] | undefined, text: string) => string | undefined;

export class WatchedDatabase {
  readonly alias: string;
  readonly #database: Database;
  readonly #settings: ProverSettings;
  readonly #pacing: Pacing;
  readonly #signal: AbortSignal;
  readonly #log: Logger;
  readonly #pace: LookPace;
  readonly #catalogs: Queryable;
  readonly #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
  readonly #trouble = new LogOnce();
  #catalog: Catalog | undefined;
  #isLost = false;
  #prover: Prover;
  #nextLook = -Infinity;

  /** `signal` ends proofs. */
  constructor(
    database: Database,
    settings: ProverSettings,
    pace: LookPace,
    pacing: Pacing,
    signal: AbortSignal,
    log: Logger,
  ) {
    this.alias = database.settings.alias;
    this.#database = database;
    this.#settings = settings;
    this.#pace = pace;
    this.#pacing = pacing;
    this.#signal = signal;
    this.#log = log;
    this.#catalogs = {
      query: (sql, values) =>
        database.queryWithin(LOOK_LIMIT, sql, values, { name: CATALOGS, recurs: true }),
    };
    this.#prover = this.#newProver();
    database.onOverdue = ({ name, limit, pause }) =>
      log.warn(
        { database: this.alias },
        `PostgreSQL did not answer a statement of the service in ${limit / 1000} s, which is repeated after ${pause / 1000} s or more: ${name}`,
      );
  }

  /** Whether texts can be proved on it. */
  get isAvailable(): boolean {
    return this.#catalog !== undefined && !this.#isLost;
  }

  /** When to look at it next, performance.now(). */
  get nextLook(): number {
    return this.#nextLook;
  }

  /** look reads the catalogs, if they have changed. It gives a function when proofs are to be looked at again. */
  async look(): Promise<Since | undefined> {
    const before = this.#catalog;
    const wasLost = this.#isLost;
    const began = performance.now();
    try {
      const version = await catalogVersion(this.#database, this.#catalogs);
      const isNew = before === undefined || !isSame(version, before.version);
      if (isNew) this.#catalog = { version, objects: await this.#objects() };
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.lose(error.reason);
      return undefined;
    }
    const ended = performance.now();
    const { catalogs, part } = this.#pace;
    this.#nextLook = ended + Math.max(catalogs, part * (ended - began));
    this.#isLost = false;
    this.#backoff.reset();
    if (this.#trouble.end())
      this.#log.info({ database: this.alias }, 'scripts can be proved on the database again');
    if (this.#catalog === before) return wasLost ? () => undefined : undefined;
    this.#prover = this.#newProver(); // it remembers names of tables and types
    return sinceOf(this.alias, before, this.#catalog!);
  }

  /** lose records that the database does not answer. */
  lose(reason: string): void {
    this.#isLost = true;
    this.#nextLook = performance.now() + this.#backoff.next();
    if (!this.#signal.aborted && this.#trouble.isNew(reason))
      this.#log.warn(
        { database: this.alias },
        `scripts cannot be proved on the database: ${reason}`,
      );
  }

  /** prove rejects with StatementFailure. */
  prove(script: string, text: ScriptText): Promise<TextProof> {
    return proveText(this.#prover, this.#catalogs, script, text);
  }

  /** basis gives what a proof rests on that was made since the last look. */
  basis(names: readonly string[] | undefined, text: string): CatalogFingerprint {
    const { version, objects } = this.#catalog!;
    const digest =
      names === undefined || objects === undefined ? '' : digestOf(names, text, objects);
    return { alias: this.alias, ...version, names, digest };
  }

  /** isCurrent tells whether a proof still holds that rests on `basis`. */
  isCurrent({ general, named, names, digest }: CatalogFingerprint, text: string): boolean {
    if (this.#catalog === undefined) return false;
    const { version, objects } = this.#catalog;
    if (general !== version.general) return false;
    if (named === version.named) return true;
    if (names === undefined || objects === undefined || digest === '') return false;
    return digestOf(names, text, objects) === digest;
  }

  async #objects(): Promise<NamedObjects | undefined> {
    const { isPostgres } = await this.#database.engine();
    if (!isPostgres) return undefined;
    try {
      return await namedObjects(this.#catalogs);
    } catch (error) {
      // Too many for the time: every change concerns every script then.
      if (error instanceof StatementFailure && error.state === 'timeout') return undefined;
      throw error;
    }
  }

  #newProver(): Prover {
    const { aggregate, maxResult, role } = this.#settings;
    return new Prover(this.#database, {
      aggregate,
      maxResult,
      patience: PATIENCE,
      lockLimit: LOCK_LIMIT,
      analysis: this.#database,
      role,
      pacing: this.#pacing,
      signal: this.#signal,
    });
  }
}

function isSame(one: CatalogVersion, other: CatalogVersion): boolean {
  return one.general === other.general && one.named === other.named;
}

function digestOf(names: readonly string[], text: string, objects: NamedObjects): string {
  return dependencyDigest(new Set([...names, ...wordsOf(text)]), objects);
}

function sinceOf(alias: string, before: Catalog | undefined, after: Catalog): Since {
  if (before === undefined) return () => undefined;
  const general = `types, schemas or settings of database ${alias} changed`;
  if (before.version.general !== after.version.general) return () => general;
  const any = `definitions in database ${alias} changed`;
  if (before.objects === undefined || after.objects === undefined) return () => any;
  const change = new CatalogChange(before.objects, after.objects);
  return (names, text) => change.describe([...(names ?? []), ...wordsOf(text)]) ?? any;
}
