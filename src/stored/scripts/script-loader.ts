/**
 * Reads the table of scripts: a digest that shows whether anything changed, then the list of records, then the texts that
 * are not cached yet, in chunks that take a connection milliseconds. It compares versions of rows alone, so that no change
 * is missed, however it was made. Texts that are too large are not read. Rejects with StatementFailure; the snapshot before
 * stays valid then.
 */
import type { Logger } from '../../observe/log.js';
import { chunks, type ChunkBounds, type Sized } from '../../base/chunks.js';
import {
  rowsOf,
  StatementFailure,
  type Queryable,
  type TimedQueryable,
  type Rows,
} from '../../postgres/statement/queryable.js';
import { qualifiedName } from '../../base/quote.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { MAX_SIZE } from '../../script/script-text.js';
import { VERBS } from '../../script/verb.js';
import { isIdentifier } from '../../base/identifier.js';
import { RowVersions, type RowVersion } from './row-versions.js';
import { ScriptSnapshot } from './script-snapshot.js';
import { StoredScript, type ReadText, type ScriptRow } from './stored-script.js';

/** How long the digest may take, and any other statement, ms. */
const DIGEST_LIMIT = 1_500;
const READ_LIMIT = 10_000;

/** Records in one page of the list. */
const LISTED = 4_000;

/** One chunk of the texts: records, and their bytes. */
const CHUNK: ChunkBounds = { items: 1_000, size: 1 << 20 };

interface Statements {
  readonly digest: string;
  readonly list: string;
  readonly texts: string;
}

export class ScriptLoader {
  readonly #digest: Queryable;
  readonly #reads: Queryable;
  readonly #log: Logger;
  readonly #chunk: ChunkBounds;
  readonly #versions: RowVersions<Statements>;

  /** `database` has the table. `maxResult` is the largest result of one statement, in bytes. */
  constructor(table: ScriptsTable, database: TimedQueryable, maxResult: number, log: Logger) {
    const within = (limit: number): Queryable => ({
      query: (sql, values) => database.queryWithin(limit, sql, values),
    });
    this.#digest = within(DIGEST_LIMIT);
    this.#reads = within(READ_LIMIT);
    this.#log = log;
    this.#chunk = { ...CHUNK, size: Math.min(CHUNK.size, maxResult / 2) };
    this.#versions = new RowVersions((version) => statements(qualifiedName(table), version));
  }

  /** load gives the scripts as they are now: `before` itself when nothing changed. */
  load(before: ScriptSnapshot | undefined): Promise<ScriptSnapshot> {
    return this.#versions.run((sql) => this.#load(before, sql));
  }

  async #load(before: ScriptSnapshot | undefined, sql: Statements): Promise<ScriptSnapshot> {
    // The digest comes first: what changes while the rest is read makes another one, which the next load finds. The very
    // first digest may have to wait for a connection, as requests do, while a reload hands connections over gradually.
    const [row] = await rowsOf(before === undefined ? this.#reads : this.#digest, sql.digest);
    const digest = row!.join(' ');
    if (digest === before?.digest) return before;
    const scripts = new Map<string, StoredScript>();
    const wanted: Sized[] = [];
    await this.#list(sql, (id, version, size) => {
      const script = before?.byId(id, version);
      if (script === undefined) wanted.push({ id, size });
      else scripts.set(id, script);
    });
    for (const chunk of chunks(wanted, this.#chunk))
      for (const row of await this.#read(sql, chunk, MAX_SIZE)) {
        const old = row.path === undefined ? undefined : before?.exact(row.database, row.path);
        scripts.set(row.id, new StoredScript(row, old, this.#log));
      }
    return new ScriptSnapshot(digest, scripts);
  }

  async #list(
    sql: Statements,
    take: (id: string, version: string, size: number) => void,
  ): Promise<void> {
    let rows: Rows;
    let last: string | null = null;
    do {
      rows = await rowsOf(this.#reads, sql.list, [last, String(LISTED)]);
      for (const [id, version, size] of rows) take((last = id!), version!, Number(size));
    } while (rows.length === LISTED);
  }

  /** Reads records without texts of more than `limit` bytes. Records that were deleted meanwhile are missing. */
  async #read(sql: Statements, ids: readonly string[], limit: number): Promise<ScriptRow[]> {
    try {
      const values = [`{${ids.join(',')}}`, String(limit)];
      const rows = await rowsOf(this.#reads, sql.texts, values);
      return rows.map((row) => scriptRow(row, limit));
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.state !== 'result_too_large') throw error;
      if (ids.length === 1 && limit === 0) throw error;
      // They grew since they were listed, or a single one does not fit: the others are read without it.
      if (ids.length === 1) return this.#read(sql, ids, 0);
      const rows: ScriptRow[] = [];
      for (const id of ids) rows.push(...(await this.#read(sql, [id], limit)));
      return rows;
    }
  }
}

function statements(table: string, versions: RowVersion): Statements {
  const columns = VERBS.map((verb) => `${verb}_sql`);
  const size = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  const texts = columns.map(
    (column) =>
      `CASE WHEN octet_length(${column}) <= $2::int THEN ${column} END, octet_length(${column})`,
  );
  const version = versions.of('t');
  return {
    digest: `SELECT count(*), ${versions.ofAll('t')} FROM ${table} t`,
    list: `SELECT id, ${version}, ${size} FROM ${table} t WHERE id > $1::bigint OR $1 IS NULL ORDER BY id LIMIT $2::int`,
    // Names that are longer than any in a path are not read whole either.
    texts: `SELECT id, ${version}, left(database_alias, 64), left(location, 64), left(name, 64), ${texts.join(', ')} FROM ${table} t WHERE id = ANY ($1::bigint[]) ORDER BY id`,
  };
}

function scriptRow(row: Rows[number], limit: number): ScriptRow {
  const [id, version, database, location, name, ...texts] = row;
  const known = isIdentifier(location ?? '') && isIdentifier(name ?? '');
  return {
    id: id!,
    version: version!,
    database: database ?? '',
    path: known ? `${location}/${name}` : undefined,
    texts: VERBS.map((_, i) => readText(texts[2 * i], texts[2 * i + 1], limit)),
  };
}

function readText(
  text: string | null | undefined,
  size: string | null | undefined,
  limit: number,
): ReadText {
  if (size === null || size === undefined || size === '0') return undefined;
  if (typeof text === 'string' && Buffer.byteLength(text) <= MAX_SIZE) return text;
  if (limit > 0) return { refused: 'the text is larger than 1 MiB' };
  return { refused: 'the texts of the script are larger than pg.max_result' };
}
