/**
 * Reads the table of scripts: a digest that tells whether anything changed, then the list of what is there, then the
 * texts of what is not held yet, in pieces that a connection passes on in milliseconds. It goes by the row versions of
 * PostgreSQL alone, so that no change is missed, whoever made it and however. Texts that are too large are left where
 * they are. Rejects with StatementFailure; then nothing has changed.
 */
import type { Logger } from '../log.js';
import { rowsOf, StatementFailure, type Asked, type AskedInTime, type Rows } from '../pg/asked.js';
import { qualifiedName } from '../pg/quote.js';
import type { ScriptsTable } from '../protocol.js';
import { MAX_SIZE } from '../script/script-text.js';
import { isIdentifier, VERBS } from '../script/verb.js';
import { ScriptSnapshot } from './script-snapshot.js';
import { StoredScript, type ReadText, type ScriptRow } from './stored-script.js';

/** How long the digest may take, and any other statement, ms. */
const DIGEST_LIMIT = 1_500;
const READ_LIMIT = 10_000;

/** Records in one piece of the list, and bytes and records in one piece of the texts. */
const LISTED = 4_000;
const TEXT_SIZE = 1 << 20;
const TEXTS = 1_000;

/** A record that has to be read, and about how many bytes that is. */
interface Wanted {
  readonly id: string;
  readonly size: number;
}

export interface LoaderOptions {
  /** Largest result of one statement, bytes. */
  readonly maxResult: number;
  readonly log: Logger;
}

interface Statements {
  readonly digest: string;
  readonly list: string;
  readonly texts: string;
}

export class ScriptLoader {
  readonly #digest: Asked;
  readonly #reads: Asked;
  readonly #log: Logger;
  readonly #pieceSize: number;
  readonly #sql: Statements;

  /** `database` is where the table is. */
  constructor(table: ScriptsTable, database: AskedInTime, { maxResult, log }: LoaderOptions) {
    const asked = (limit: number): Asked => ({
      ask: (sql, values) => database.askWithin(limit, sql, values),
    });
    this.#digest = asked(DIGEST_LIMIT);
    this.#reads = asked(READ_LIMIT);
    this.#log = log;
    this.#pieceSize = Math.min(TEXT_SIZE, maxResult / 2);
    this.#sql = statements(qualifiedName(table));
  }

  /** load gives what is in the table now: `held` itself when that is still so. */
  async load(held: ScriptSnapshot | undefined): Promise<ScriptSnapshot> {
    // Before all else: what changes while the rest is read makes another one, and is found by the next loading.
    // The first time requests wait for it, and it for a connection, as they would: a reload hands them over by and by.
    const patience = held === undefined ? this.#reads : this.#digest;
    const [row] = await rowsOf(patience, this.#sql.digest);
    const digest = row!.join(' ');
    if (digest === held?.digest) return held;
    const scripts = new Map<string, StoredScript>();
    const wanted: Wanted[] = [];
    await this.#list((id, version, size) => {
      const script = held?.held(id, version);
      if (script === undefined) wanted.push({ id, size });
      else scripts.set(id, script);
    });
    for (const piece of pieces(wanted, this.#pieceSize))
      for (const row of await this.#read(piece, MAX_SIZE)) {
        const before = row.path === undefined ? undefined : held?.exact(row.database, row.path);
        scripts.set(row.id, new StoredScript(row, before, this.#log));
      }
    return new ScriptSnapshot(digest, scripts);
  }

  async #list(take: (id: string, version: string, size: number) => void): Promise<void> {
    let rows: Rows;
    let last: string | null = null;
    do {
      rows = await rowsOf(this.#reads, this.#sql.list, [last, String(LISTED)]);
      for (const [id, version, size] of rows) take((last = id!), version!, Number(size));
    } while (rows.length === LISTED);
  }

  /** Reads records; texts of more than `limit` bytes stay where they are. What was deleted meanwhile is left out. */
  async #read(ids: readonly string[], limit: number): Promise<ScriptRow[]> {
    try {
      const values = [`{${ids.join(',')}}`, String(limit)];
      const rows = await rowsOf(this.#reads, this.#sql.texts, values);
      return rows.map((row) => scriptRow(row, limit));
    } catch (error) {
      if (!(error instanceof StatementFailure) || error.state !== 'result_too_large') throw error;
      if (ids.length === 1 && limit === 0) throw error;
      // They grew since they were listed, or one of them alone does not fit: that is nothing to the others.
      if (ids.length === 1) return this.#read(ids, 0);
      const rows: ScriptRow[] = [];
      for (const id of ids) rows.push(...(await this.#read([id], limit)));
      return rows;
    }
  }
}

function statements(table: string): Statements {
  const columns = VERBS.map((verb) => `${verb}_sql`);
  const size = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  const texts = columns.map(
    (column) =>
      `CASE WHEN octet_length(${column}) <= $2::int THEN ${column} END, octet_length(${column})`,
  );
  return {
    digest: `SELECT count(*), sum(hashtextextended(id::text || ' ' || xmin::text, 0)::numeric) FROM ${table}`,
    list: `SELECT id, xmin, ${size} FROM ${table} WHERE id > $1::bigint OR $1 IS NULL ORDER BY id LIMIT $2::int`,
    // Names that are longer than any that can be asked for are not read either.
    texts: `SELECT id, xmin, left(database_alias, 64), left(location, 64), left(name, 64), ${texts.join(', ')} FROM ${table} WHERE id = ANY ($1::bigint[]) ORDER BY id`,
  };
}

/** pieces shares records out, in the order given. */
function* pieces(wanted: readonly Wanted[], most: number): Generator<string[]> {
  let piece: string[] = [];
  let sum = 0;
  for (const { id, size } of wanted) {
    if (piece.length === TEXTS || (piece.length > 0 && sum + size > most)) {
      yield piece;
      piece = [];
      sum = 0;
    }
    piece.push(id);
    sum += size;
  }
  if (piece.length > 0) yield piece;
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
