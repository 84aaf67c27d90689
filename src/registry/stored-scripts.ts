/**
 * The scripts of the table in a worker: all of them are held, so that no request ever waits for the database to find its
 * script. The table is looked at a few times a second, whatever else tells of changes, and at once when somebody does.
 * When the database is away, what was loaded last goes on being served; requests that come before anything was loaded
 * wait for the first attempt, and are refused with `busy` once that has failed. Nothing is thrown at anybody but them.
 */
import { ServiceError } from '../errors.js';
import { StatementFailure, type AskedInTime } from '../pg/asked.js';
import { qualifiedName } from '../pg/quote.js';
import type { ScriptsTable } from '../protocol.js';
import { scriptNotFound } from '../script/script-error.js';
import type { FoundScript, ReadableScript, Scripts } from '../script/scripts.js';
import { ScriptLoader, type LoaderOptions } from './script-loader.js';
import type { ScriptSnapshot } from './script-snapshot.js';

/** From one look to the next, ms; doubled with each that fails up to the last. */
const INTERVAL = 400;
const LONGEST = 1_600;

/** Failures in a row that are worth a word while there is something to serve: one may be no more than a busy moment. */
const WORTH_A_WORD = 2;

const NOT_LOADED = 'the stored scripts cannot be read now, try again later';

export class StoredScripts implements Scripts {
  readonly #table: string;
  readonly #loader: ScriptLoader;
  readonly #log: LoaderOptions['log'];
  #snapshot: ScriptSnapshot | undefined;
  /** The first attempt, until it has ended. */
  #first: Promise<void> | undefined;
  /** The look under way. */
  #looking: Promise<void> | undefined;
  /** Whether somebody told of a change since the look under way began. */
  #told = false;
  #interval = INTERVAL;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Why the last attempt failed, so that it is said once. */
  #trouble: string | undefined;
  #closed = false;

  /** Begins to load; `database` is where the table is. */
  constructor(table: ScriptsTable, database: AskedInTime, options: LoaderOptions) {
    this.#table = qualifiedName(table);
    this.#loader = new ScriptLoader(table, database, options);
    this.#log = options.log;
    this.#first = this.#lookNow().finally(() => (this.#first = undefined));
  }

  /** find gives the script of a database, else that of all. */
  find(alias: string, folder: string, name: string): FoundScript | Promise<FoundScript> {
    if (this.#snapshot === undefined)
      return this.#loaded().then(() => this.find(alias, folder, name));
    const path = `${folder}/${name}`;
    const script = this.#snapshot.find(alias, path);
    if (script === undefined) throw scriptNotFound(path);
    return script;
  }

  /** readable lists the scripts of a database that read, and those of all. */
  readable(alias: string): Promise<readonly ReadableScript[]> {
    if (this.#snapshot === undefined) return this.#loaded().then(() => this.readable(alias));
    return this.#snapshot.readable(alias);
  }

  /** The first attempt. Throws once that has failed. */
  #loaded(): Promise<void> {
    if (this.#first === undefined) throw new ServiceError('busy', NOT_LOADED);
    return this.#first;
  }

  /** changed looks at once, for something may have changed; resolves when that was seen, or could not be. */
  changed(): Promise<void> {
    this.#told = true;
    return this.#lookNow();
  }

  /** close looks no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #lookNow(): Promise<void> {
    this.#looking ??= this.#look();
    return this.#looking;
  }

  /** Looks, as often as it is told to meanwhile. */
  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    do {
      this.#told = false;
      await this.#load();
    } while (this.#isTold());
    this.#looking = undefined;
    if (!this.#closed) this.#timer = setTimeout(() => void this.#lookNow(), this.#interval).unref();
  }

  #isTold(): boolean {
    return this.#told && !this.#closed;
  }

  async #load(): Promise<void> {
    try {
      this.#snapshot = await this.#loader.load(this.#snapshot);
      if (this.#trouble !== undefined)
        this.#log.info({ scripts: this.#snapshot.size }, 'the stored scripts are read again');
      this.#trouble = undefined;
      this.#failures = 0;
      this.#interval = INTERVAL;
    } catch (error) {
      this.#failures++;
      // Who drops the table wants its scripts gone; a database that is away is another matter.
      if (isDropped(error)) this.#snapshot = undefined;
      this.#interval = Math.min(this.#interval * 2, LONGEST);
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    if (this.#closed || (this.#snapshot !== undefined && this.#failures < WORTH_A_WORD)) return;
    const reason = this.#reasonOf(error);
    if (reason === this.#trouble) return;
    this.#trouble = reason;
    const served = this.#snapshot === undefined ? '' : ', what was read last is served';
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

/** SQLSTATE of a table, or a schema, that is not there. */
const UNDEFINED_TABLE = '42P01';
