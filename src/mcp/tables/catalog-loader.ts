/**
 * Reads the tables of a database as a role sees them: a digest that shows whether anything changed, then the list of
 * tables, then those that are not cached yet, in chunks that take a connection milliseconds. Unreadable tables are skipped;
 * an engine with other catalogs than PostgreSQL's has no tables.
 * Rejects with ServiceError or StatementFailure; the snapshot before stays valid then.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import { StatementFailure, type Rows } from '../../postgres/statement/queryable.js';
import type { Statement } from '../../postgres/statement/job.js';
import { ScriptCost } from '../../postgres/statement/script-cost.js';
import { lacksFeature } from '../../postgres/statement/sql-failure.js';
import { SECRET, secretValues, type SecretRow } from '../../postgres/statement/secret-tables.js';
import type { McpRequest } from '../../messages/batch.js';
import { chunks, type ChunkBounds, type Sized } from '../../base/chunks.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { McpCall } from '../arguments/call.js';
import { DIGEST, LIST, READ } from './catalog-statements.js';
import { LoadedTable, type TableRow } from './loaded-table.js';
import type { Reading, ReadOnly, ReadOutcome } from './read-only.js';
import { ReadableTables } from './table-set.js';

/** How long one statement may take, ms. */
const LIMIT = 10_000;

/** Tables in one page of the list. */
const LISTED = 500;

/** One chunk of the catalogs: tables, and their columns. */
const CHUNK: ChunkBounds = { items: 100, size: 1_000 };

/** Most unreadable tables that are skipped: with more of them something else is wrong. */
const MOST_UNREADABLE = 20;

/** The tables as they were at one time. */
export interface CatalogSnapshot {
  readonly tables: ReadableTables;
  /** The time of reading, the version of what tables share, and the tables' own: as DIGEST gives them. */
  readonly moment: string;
  readonly shared: string;
  readonly digest: string;
  /** By OID, including tables that are never shown. */
  readonly cached: ReadonlyMap<string, CachedTable>;
}

/** A table and its version; without a version it is read again. */
interface CachedTable {
  readonly version: string | undefined;
  readonly table: LoadedTable | undefined;
}

/** A table of the list; its size is the number of its columns. */
interface ListedTable extends Sized {
  readonly version: string;
}

/** The tables of a database that were read last under any role: most roles see most tables alike. */
export interface LastRead {
  cached: ReadonlyMap<string, CachedTable>;
  /** Whether it was logged that the catalogs are not PostgreSQL's. */
  isForeign?: boolean;
}

const NO_TABLES: CatalogSnapshot = {
  tables: new ReadableTables([]),
  moment: '',
  shared: '',
  digest: '',
  cached: new Map(),
};

export class CatalogLoader {
  readonly #alias: string;
  /** Any request of the role; the loading survives its caller's disconnect. */
  readonly #request: McpRequest;
  readonly #readOnly: ReadOnly;
  readonly #hidden: readonly ScriptsTable[];
  readonly #last: LastRead;
  readonly #log: Logger;
  readonly #costs = new Map<Statement, ScriptCost>();

  /**
   * `request` has the role. The `hidden` tables are never shown, nor are relations that hold the same rows. All roles of a
   * database share `last`.
   */
  constructor(
    alias: string,
    request: McpRequest,
    readOnly: ReadOnly,
    hidden: readonly ScriptsTable[],
    last: LastRead,
    log: Logger,
  ) {
    this.#alias = alias;
    this.#request = { ...request, claims: '', message: '', headers: '' };
    this.#readOnly = readOnly;
    this.#hidden = hidden;
    this.#last = last;
    this.#log = log;
  }

  /** load gives the tables as they are now: `before` itself when nothing changed. */
  async load(before: CatalogSnapshot | undefined): Promise<CatalogSnapshot> {
    // The digest comes first: what changes while the rest is read makes another one, which the next load finds.
    const row = await this.#digest(before?.moment ?? '');
    if (row === undefined) return before?.cached.size === 0 ? before : NO_TABLES;
    const [moment, shared, digest] = row;
    if (before !== undefined && digest === null) return before;
    const state = { moment: moment ?? '', shared: shared!, digest: digest! };
    const sameTypes = before?.shared === state.shared;
    if (sameTypes && before.digest === state.digest) return { ...before, ...state };
    const cached = new Map<string, CachedTable>();
    const wanted: ListedTable[] = [];
    for await (const one of this.#list()) {
      const known = sameTypes ? before.cached.get(one.id) : undefined;
      if (known?.version === one.version) cached.set(one.id, known);
      else wanted.push(one);
    }
    await this.#readAll(wanted, before, cached);
    this.#last.cached = cached;
    // After the tables: a secret one that was created while these were read must not be shown.
    const secret = await this.#secret();
    await turn(); // sorting thousands of tables takes milliseconds: not in the same turn as the last rows
    const tables = this.#readable(before, cached, secret);
    // An empty digest makes the next load read uncertain tables again.
    if ([...cached.values()].some(({ version }) => version === undefined))
      return { ...state, moment: '', digest: '', tables, cached };
    return { ...state, tables, cached };
  }

  /** The row of DIGEST; undefined on an engine with other catalogs. */
  async #digest(moment: string): Promise<Rows[number] | undefined> {
    try {
      const [row] = await this.#rows(DIGEST, [moment]);
      return row!;
    } catch (error) {
      if (!(error instanceof StatementFailure) || !lacksFeature(error)) throw error;
      if (this.#last.isForeign !== true)
        this.#log.warn(
          { alias: this.#alias },
          `MCP clients are offered no tables: the catalogs of the database are not those of PostgreSQL: ${error.reason}`,
        );
      this.#last.isForeign = true;
      return undefined;
    }
  }

  /** OIDs of the relations that are never shown. */
  async #secret(): Promise<ReadonlySet<string>> {
    const rows = await this.#rows(SECRET, secretValues(this.#hidden));
    const shut = (rows as readonly unknown[] as readonly SecretRow[]).filter(
      ([, , , secrecy]) => secrecy !== 'view',
    );
    return new Set(shut.map(([id]) => id));
  }

  async *#list(): AsyncGenerator<ListedTable> {
    let rows: Rows;
    let last = '0';
    do {
      rows = await this.#rows(LIST, [last, String(LISTED)]);
      for (const [id, columns, version] of rows)
        yield { id: (last = id!), size: Number(columns), version: version! };
    } while (rows.length === LISTED);
  }

  async #readAll(
    wanted: readonly ListedTable[],
    before: CatalogSnapshot | undefined,
    cached: Map<string, CachedTable>,
  ): Promise<void> {
    const versions = new Map(wanted.map(({ id, version }) => [id, version]));
    const unreadable: string[] = [];
    for (const chunk of chunks(wanted, CHUNK))
      for (const row of await this.#read(chunk, unreadable)) {
        const [id, locked] = row;
        const known = [before?.cached, this.#last.cached].map((tables) => tables?.get(id!)?.table);
        const table = known.find((one) => one?.isAs(row)) ?? this.#tableOf(row);
        cached.set(id!, { version: locked === 't' ? undefined : versions.get(id!), table });
      }
    for (const id of unreadable) cached.set(id, { version: versions.get(id), table: undefined });
    if (unreadable.length > 0)
      this.#log.warn(
        { alias: this.#alias, tables: unreadable.length },
        'PostgreSQL fails to describe some tables, MCP clients are not shown them',
      );
  }

  /** Undefined for a table without columns. */
  #tableOf(row: TableRow): LoadedTable | undefined {
    return row.at(-1) === null ? undefined : new LoadedTable(this.#alias, row);
  }

  async #read(ids: readonly string[], unreadable: string[]): Promise<Rows> {
    try {
      return await this.#rows(READ, [`{${ids.join(',')}}`]);
    } catch (error) {
      // A single table's definition may be the cause: the others are read without it.
      if (!isAboutContent(error)) throw error;
      if (ids.length > 1) {
        const half = ids.length >> 1;
        const first = await this.#read(ids.slice(0, half), unreadable);
        return [...first, ...(await this.#read(ids.slice(half), unreadable))];
      }
      if (unreadable.push(ids[0]!) > MOST_UNREADABLE) throw error;
      return [];
    }
  }

  /** The tables that may be shown: the set before, if all of them are the same. */
  #readable(
    before: CatalogSnapshot | undefined,
    cached: ReadonlyMap<string, CachedTable>,
    secret: ReadonlySet<string>,
  ): ReadableTables {
    const shown: LoadedTable[] = [];
    for (const [id, { table }] of cached)
      if (table !== undefined && !secret.has(id) && !this.#isNamed(table)) shown.push(table);
    const old = before?.tables;
    const same =
      old?.tables.length === shown.length &&
      shown.every((table) => old.find(table.schema, table.name) === table);
    return same ? old : new ReadableTables(shown);
  }

  #isNamed({ schema, name }: LoadedTable): boolean {
    return this.#hidden.some((one) => one.schema === schema && one.table === name);
  }

  async #rows(statement: Statement, values: readonly string[]): Promise<Rows> {
    let cost = this.#costs.get(statement);
    if (cost === undefined) this.#costs.set(statement, (cost = new ScriptCost()));
    const { result, failure } = await this.#query({ statement, values, form: 'rows', cost });
    if (failure === undefined) return result.rows ?? [];
    throw failure instanceof ServiceError ? failure : new StatementFailure(failure);
  }

  /** Ends after LIMIT even when the database does not answer at all. */
  #query(reading: Reading): Promise<ReadOutcome> {
    const call = new McpCall(this.#request, false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        call.abandoned = true;
        resolve({ failure: new ServiceError('timeout', `no answer in ${LIMIT / 1000} s`) });
      }, LIMIT).unref();
      void this.#readOnly.read(this.#alias, reading, call).then((outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
    });
  }
}

/** Whether a statement failed because of what it read, and not because the database is unreachable or busy. */
function isAboutContent(error: unknown): boolean {
  if (error instanceof StatementFailure) return !error.passing;
  return error instanceof ServiceError && error.code === 'result_too_large';
}
