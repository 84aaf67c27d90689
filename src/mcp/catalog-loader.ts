/**
 * Reads the tables of a database as a role sees them: a digest that tells whether anything has changed, then the list of
 * what is there, then what is not held yet, in pieces that a connection passes on in milliseconds. A table that cannot be
 * read is left out. Rejects with ServiceError or StatementFailure; then nothing has changed.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import { StatementFailure, type Rows } from '../pg/asked.js';
import type { Statement } from '../pg/job.js';
import { ScriptCost } from '../pg/script-cost.js';
import type { QueryRequest, ScriptsTable } from '../protocol.js';
import { Call } from './call.js';
import { DIGEST, LIST, READ } from './catalog-statements.js';
import { LoadedTable, type TableRow } from './loaded-table.js';
import type { Reading, ReadOnly, ReadOutcome } from './read-only.js';
import { ReadableTables } from './table-set.js';

/** How long one statement may take, ms. */
const LIMIT = 10_000;

/** Tables in one piece of the list; tables and columns of one piece of what is read. */
const LISTED = 500;
const TABLES = 100;
const COLUMNS = 1_000;

/** Most tables that are left out for they cannot be read: with more of them something else is wrong. */
const MOST_UNREADABLE = 20;

/** CatalogSnapshot is what was read. */
export interface CatalogSnapshot {
  readonly tables: ReadableTables;
  /** The moment it was read at, the version of what tables share, that of the tables: as DIGEST gives them. */
  readonly moment: string;
  readonly shared: string;
  readonly digest: string;
  /** By number. Those of `hidden` tables too, which nobody is shown. */
  readonly held: ReadonlyMap<string, HeldTable>;
}

/** A table and its version; without one, it is to be read again. */
interface HeldTable {
  readonly version: string | undefined;
  readonly table: LoadedTable | undefined;
}

/** What is to be read. */
interface Wanted {
  readonly id: string;
  readonly version: string;
  readonly columns: number;
}

/** LastRead is what was read last of a database, as whatever role: most roles see most tables alike. */
export interface LastRead {
  held: ReadonlyMap<string, HeldTable>;
}

export interface LoaderParts {
  readonly readOnly: ReadOnly;
  /** Tables that nobody is ever shown. */
  readonly hidden: readonly ScriptsTable[];
  readonly log: Logger;
}

export class CatalogLoader {
  readonly #alias: string;
  /** Whose role it is; nobody is to wait in vain because he left. */
  readonly #request: QueryRequest;
  readonly #parts: LoaderParts;
  readonly #last: LastRead;
  readonly #costs = new Map<Statement, ScriptCost>();

  /** `request` is one of those who see the same: of the same role. `last` is one for all roles of a database. */
  constructor(alias: string, request: QueryRequest, parts: LoaderParts, last: LastRead) {
    this.#alias = alias;
    this.#last = last;
    this.#request = { ...request, claims: '', query: '', headers: '' };
    this.#parts = parts;
  }

  /** load gives what there is now: `before` itself when that is still so. */
  async load(before: CatalogSnapshot | undefined): Promise<CatalogSnapshot> {
    // Before all else: what changes while the rest is read makes another digest, and is found by the next loading.
    const [row] = await this.#rows(DIGEST, [before?.moment ?? '']);
    const [moment, shared, digest] = row!;
    if (before !== undefined && digest === null) return before;
    const state = { moment: moment ?? '', shared: shared!, digest: digest! };
    const sameTypes = before?.shared === state.shared;
    if (sameTypes && before.digest === state.digest) return { ...before, ...state };
    const held = new Map<string, HeldTable>();
    const wanted: Wanted[] = [];
    for await (const one of this.#list()) {
      const known = sameTypes ? before.held.get(one.id) : undefined;
      if (known?.version === one.version) held.set(one.id, known);
      else wanted.push(one);
    }
    await this.#readAll(wanted, before, held);
    this.#last.held = held;
    await turn(); // sorting thousands of tables takes milliseconds: not in the same turn as the last rows
    const tables = this.#readable(before, held);
    // What is not known for certain is looked for again.
    if ([...held.values()].some(({ version }) => version === undefined))
      return { ...state, moment: '', digest: '', tables, held };
    return { ...state, tables, held };
  }

  async *#list(): AsyncGenerator<Wanted> {
    let rows: Rows;
    let last = '0';
    do {
      rows = await this.#rows(LIST, [last, String(LISTED)]);
      for (const [id, columns, version] of rows)
        yield { id: (last = id!), columns: Number(columns), version: version! };
    } while (rows.length === LISTED);
  }

  async #readAll(
    wanted: readonly Wanted[],
    before: CatalogSnapshot | undefined,
    held: Map<string, HeldTable>,
  ): Promise<void> {
    const versions = new Map(wanted.map(({ id, version }) => [id, version]));
    const unreadable: string[] = [];
    for (const piece of pieces(wanted))
      for (const row of await this.#read(piece, unreadable)) {
        const [id, locked] = row;
        const known = [before?.held, this.#last.held].map((tables) => tables?.get(id!)?.table);
        const table = known.find((one) => one?.isAs(row)) ?? this.#tableOf(row);
        held.set(id!, { version: locked === 't' ? undefined : versions.get(id!), table });
      }
    for (const id of unreadable) held.set(id, { version: versions.get(id), table: undefined });
    if (unreadable.length > 0)
      this.#parts.log.warn(
        { alias: this.#alias, tables: unreadable.length },
        'PostgreSQL fails to describe some tables, MCP clients are not shown them',
      );
  }

  /** Undefined for one without columns, of which nothing can be read. */
  #tableOf(row: TableRow): LoadedTable | undefined {
    return row.at(-1) === null ? undefined : new LoadedTable(this.#alias, row);
  }

  async #read(ids: readonly string[], unreadable: string[]): Promise<Rows> {
    try {
      return await this.#rows(READ, [`{${ids.join(',')}}`]);
    } catch (error) {
      // One of them may be to blame, by what it is made of: that is nothing to the others.
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

  /** The tables that may be shown: the ones before, as long as they are all the same. */
  #readable(
    before: CatalogSnapshot | undefined,
    held: ReadonlyMap<string, HeldTable>,
  ): ReadableTables {
    const shown: LoadedTable[] = [];
    for (const { table } of held.values())
      if (table !== undefined && !this.#isHidden(table)) shown.push(table);
    const old = before?.tables;
    const same =
      old?.tables.length === shown.length &&
      shown.every((table) => old.find(table.schema, table.name) === table);
    return same ? old : new ReadableTables(shown);
  }

  #isHidden({ schema, name }: LoadedTable): boolean {
    return this.#parts.hidden.some((one) => one.schema === schema && one.table === name);
  }

  async #rows(statement: Statement, values: readonly string[]): Promise<Rows> {
    let cost = this.#costs.get(statement);
    if (cost === undefined) this.#costs.set(statement, (cost = new ScriptCost()));
    const { result, failure } = await this.#ask({ statement, values, form: 'rows', cost });
    if (failure === undefined) return result.rows ?? [];
    throw failure instanceof ServiceError ? failure : new StatementFailure(failure);
  }

  /** Where nothing is heard of the database any more, the look is over all the same. */
  #ask(reading: Reading): Promise<ReadOutcome> {
    const call = new Call(this.#request, false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        call.abandoned = true;
        resolve({ failure: new ServiceError('timeout', `no answer in ${LIMIT / 1000} s`) });
      }, LIMIT).unref();
      void this.#parts.readOnly.read(this.#alias, reading, call).then((outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
    });
  }
}

/** Whether a statement failed by what it met, and not because the database is away or busy. */
function isAboutContent(error: unknown): boolean {
  if (error instanceof StatementFailure) return !error.passing;
  return error instanceof ServiceError && error.code === 'result_too_large';
}

/** pieces shares tables out, in the order given. */
function* pieces(wanted: readonly Wanted[]): Generator<string[]> {
  let piece: string[] = [];
  let sum = 0;
  for (const { id, columns } of wanted) {
    if (piece.length === TABLES || (piece.length > 0 && sum + columns > COLUMNS)) {
      yield piece;
      piece = [];
      sum = 0;
    }
    piece.push(id);
    sum += columns;
  }
  if (piece.length > 0) yield piece;
}
