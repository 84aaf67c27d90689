/**
 * The stored scripts in a worker: all of them are cached, so that no request waits for the database to find its script.
 * The table is polled a few times a second, whatever else reports changes, and at once after a notification. While the
 * database is unreachable, the scripts that were read last are served. Requests that arrive before anything was read wait
 * for the first attempt, and are refused with `busy` once that has failed.
 */
import { Backoff } from '../../base/backoff.js';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { LogOnce } from '../../base/log-once.js';
import { STORED_SCRIPT_READS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { StatementFailure, type TimedQueryable } from '../../postgres/statement/queryable.js';
import { qualifiedName } from '../../base/quote.js';
import { Poller } from '../../base/poller.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { scriptNotFound } from '../../script/script-error.js';
import type {
  FoundScript,
  ReadableScript,
  RoutedScript,
  Scripts,
  UsableScript,
} from '../../script/scripts.js';
import type { FoundScripts } from '../../messages/tasks.js';
import { ScriptLoader } from './script-loader.js';
import type { ScriptSnapshot } from './script-snapshot.js';

/** From the end of one poll to the next, ms; doubled with each failure up to LONGEST. */
const INTERVAL = 400;
const LONGEST = 1_600;

/** A single failure is logged only while there is nothing to serve: it may be no more than a busy moment. */
const LOGGED_FAILURES = 2;

const NOT_LOADED = 'the stored scripts cannot be read now, try again later';

/** SQLSTATE of a table, or a schema, that does not exist. */
const UNDEFINED_TABLE = '42P01';

export class StoredScripts implements Scripts {
  readonly #table: string;
  readonly #loader: ScriptLoader;
  readonly #log: Logger;
  readonly #poller: Poller;
  readonly #backoff = new Backoff(2 * INTERVAL, LONGEST);
  readonly #trouble = new LogOnce();
  #snapshot: ScriptSnapshot | undefined;
  /** The first attempt, until it has ended. */
  #first: Promise<void> | undefined;
  #failures = 0;

  /** `database` has the table. `maxResult` is the largest result of one statement, in bytes. */
  constructor(table: ScriptsTable, database: TimedQueryable, maxResult: number, log: Logger) {
    this.#table = qualifiedName(table);
    this.#loader = new ScriptLoader(table, database, maxResult, log);
    this.#log = log;
    this.#poller = new Poller(
      () => this.#load(),
      () => this.#backoff.wait || INTERVAL,
    );
    this.#first = this.#poller.run().finally(() => (this.#first = undefined));
  }

  /** find gives the script of the database, else the one for all databases. */
  find(alias: string, folder: string, name: string): FoundScript | Promise<FoundScript> {
    if (this.#snapshot === undefined)
      return this.#loaded().then(() => this.find(alias, folder, name));
    const path = `${folder}/${name}`;
    const script = this.#snapshot.find(alias, path);
    if (script === undefined) throw scriptNotFound(path);
    return script;
  }

  /** readable lists the scripts for reads of a database, and those for all databases. */
  readable(alias: string): Promise<readonly ReadableScript[]> {
    if (this.#snapshot === undefined) return this.#loaded().then(() => this.readable(alias));
    return this.#snapshot.readable(alias);
  }

  /** routed lists the scripts with paths of their own. */
  routed(defaultAlias: string): Promise<readonly RoutedScript[]> {
    if (this.#snapshot === undefined) return this.#loaded().then(() => this.routed(defaultAlias));
    return this.#snapshot.routed(defaultAlias);
  }

  /** found counts the texts that can be served, and those that cannot, which are logged. */
  found(): Promise<FoundScripts> {
    if (this.#snapshot === undefined) return this.#loaded().then(() => this.found());
    return this.#snapshot.found();
  }

  /** usable lists the texts for all verbs that requests for a database find. */
  usable(alias: string): Promise<readonly UsableScript[]> {
    if (this.#snapshot === undefined) return this.#loaded().then(() => this.usable(alias));
    return this.#snapshot.usable(alias);
  }

  /** The first attempt. Throws once that has failed. */
  #loaded(): Promise<void> {
    if (this.#first === undefined) throw new ServiceError('busy', NOT_LOADED);
    return this.#first;
  }

  /** refresh reads what may have changed; resolves when that was read, or could not be. */
  refresh(): Promise<void> {
    return this.#poller.runAgain();
  }

  close(): void {
    this.#poller.stop();
  }

  async #load(): Promise<void> {
    try {
      this.#snapshot = await this.#loader.load(this.#snapshot);
      counts[STORED_SCRIPT_READS.succeeded]! += 1;
      if (this.#trouble.end())
        this.#log.info({ scripts: this.#snapshot.size }, 'the stored scripts are read again');
      this.#failures = 0;
      this.#backoff.reset();
    } catch (error) {
      counts[STORED_SCRIPT_READS.failed]! += 1;
      this.#failures++;
      this.#backoff.next();
      // A dropped table means that its scripts are to go; an unreachable database does not.
      if (isDropped(error)) this.#snapshot = undefined;
      this.#logFailure(error);
    }
  }

  #logFailure(error: unknown): void {
    const serves = this.#snapshot !== undefined;
    if (this.#poller.stopped || (serves && this.#failures < LOGGED_FAILURES)) return;
    const reason = this.#reasonOf(error);
    if (!this.#trouble.isNew(reason)) return;
    const served = serves ? ', what was read last is served' : '';
    this.#log.error(`the stored scripts cannot be read${served}: ${reason}`);
  }

  #reasonOf(error: unknown): string {
    if (!(error instanceof StatementFailure)) return String(error);
    return isDropped(error)
      ? `there is no table ${this.#table}, run "sql-rest-service migrate up queries"`
      : error.reason;
  }
}

function isDropped(error: unknown): boolean {
  return error instanceof StatementFailure && error.state === UNDEFINED_TABLE;
}
