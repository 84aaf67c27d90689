/**
 * The SQL that creates the table of scripts, its history, the table of proofs, and the triggers that write the history and
 * notify of changes. All statements can run concurrently, except those for servers without locks. Names come from the
 * configuration and are always quoted.
 *
 * The triggers' function runs as its owner (SECURITY DEFINER), so that writers of scripts need no privilege on the history
 * and cannot write it in any other way. Its search path is fixed, all names in it are qualified, and other users cannot
 * use it in triggers of their own. Neither a failure to write the history nor one to notify prevents the change. A history
 * or function of another owner is refused: it could do anything with the privileges of the writers.
 */
import { identifier, literal } from '../../base/quote.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import { list, namesOf, type Names } from './table-names.js';
import { PROOF_COLUMNS } from '../registry/proof-statements.js';
import { CHANNEL, COLUMNS, CONTENT, HISTORY_COLUMNS, KEY, STATE } from './scripts-table.js';
import { EDITOR } from '../registry/statements.js';

/** SQLSTATE of the error for a history, or a function of the triggers, that has another owner. */
export const FOREIGN = 'SR001';

/** Statements for the same, of which the first is used that the server knows: the others are for other engines. */
export type Alternatives = readonly string[];

export interface DdlStatements {
  /** The table's columns, one a row, each with whether the key is unique; no row when there is no table. */
  readonly columns: string;
  /** Creates the table unless it exists. */
  readonly make: Alternatives;
  /** Creates the history, the function and the triggers unless they exist. Fails with FOREIGN. */
  readonly keep: Alternatives;
  /** A row when the table has both triggers, or is a view, which can have none. */
  readonly watched: string;
  /** Creates the table of proofs unless it exists. */
  readonly share: string;
  /** A row when there is a script. */
  readonly any: string;
  /** Drops the table, its history, its proofs and its function. */
  readonly drop: Alternatives;
}

export function ddlStatementsOf(scripts: ScriptsTable): DdlStatements {
  const names = namesOf(scripts);
  const { table, history, historyName, proofs, proofsName, changed } = names;
  const triggers = [names.changedName, names.truncatedName].map(literal).join(', ');
  const made = `CREATE TABLE IF NOT EXISTS ${table} (${COLUMNS})`;
  const dropped = `DROP TABLE ${table};
  IF EXISTS (${columnsOf(scripts, historyName, HISTORY)}) THEN DROP TABLE ${history}; END IF;
  IF EXISTS (${columnsOf(scripts, proofsName, PROOFS)}) THEN DROP TABLE ${proofs}; END IF;
  DROP FUNCTION IF EXISTS ${changed}();`;
  return {
    columns: `SELECT a.attname, ${uniqueKey('a.attrelid')} FROM pg_attribute a
WHERE a.attrelid = to_regclass(${literal(table)}) AND a.attnum > 0 AND NOT a.attisdropped`,
    // No separate test for existence: after a wait for the lock, its result could come from an old cache.
    make: [alone(table, `${made};`), made],
    keep: [keepOf(scripts, names, true), keepOf(scripts, names, false)],
    watched: `SELECT 1 FROM pg_class c WHERE c.oid = to_regclass(${literal(table)}) AND (c.relkind <> 'r'
  OR (SELECT count(*) FROM pg_trigger WHERE tgrelid = c.oid AND tgname IN (${triggers})) = 2)`,
    share: alone(
      table,
      `IF NOT EXISTS (${columnsOf(scripts, proofsName, PROOFS)}) THEN CREATE TABLE ${proofs} (${PROOF_COLUMNS}); END IF;`,
    ),
    any: `SELECT 1 FROM ${table} LIMIT 1`,
    // A server that knows no DO has had neither a history nor proofs.
    drop: [alone(table, dropped), block(dropped), `DROP TABLE ${table}`],
  };
}

/** Statements in one transaction, under a lock. */
function alone(table: string, statements: string, declared = ''): string {
  const key = `hashtextextended(${literal(`scripts table ${table}`)}, 0)`;
  return block(`PERFORM pg_advisory_xact_lock(${key});\n  ${statements}`, declared);
}

/** Statements in one transaction. */
function block(statements: string, declared = ''): string {
  return `DO ${literal(`${declared}BEGIN\n  ${statements}\nEND`)}`;
}

function uniqueKey(table: string): string {
  return `EXISTS (SELECT FROM pg_index i
  WHERE i.indrelid = ${table} AND i.indisunique AND i.indisvalid AND i.indimmediate
    AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = ${KEY.length}
    AND (SELECT array_agg(k.attname::text ORDER BY k.attname)
      FROM unnest(i.indkey::int2[]) WITH ORDINALITY u(number, place)
      JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = u.number
      WHERE u.place <= ${KEY.length})
      = '{${[...KEY].sort().join(',')}}')`;
}

/** Columns that show that a table is one of ours. */
const HISTORY = ['version', 'operation', 'changed_by'];
const PROOFS = ['text_hash', 'settings_hash', 'proof'];

/** A row when a table has these columns. It reads the catalogs, as caches of the session may be old. */
function columnsOf({ schema }: ScriptsTable, name: string, columns: readonly string[]): string {
  return `SELECT FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${literal(schema)} AND c.relname = ${literal(name)} AND c.relkind = 'r'
      AND a.attname IN (${columns.map(literal).join(', ')}) HAVING count(*) = ${columns.length}`;
}

/** Without `locks`, what is changed meanwhile may be missing in a new history. */
function keepOf(scripts: ScriptsTable, names: Names, locks: boolean): string {
  const { table, history, historyName, changed, changedName, truncatedName } = names;
  const body = bodyOf(names);
  const trigger = (name: string): string =>
    `SELECT FROM pg_trigger g WHERE g.tgrelid = watched AND g.tgname = ${literal(name)}`;
  const found = foundOf(names);
  // An attempt that was refused at its lock may have left what it had made: then nothing is new.
  const record = locks
    ? `IF anew THEN
    LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE;
    ${found}
  END IF;`
    : found;
  const statements = `SELECT c.oid INTO watched FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${literal(scripts.schema)} AND c.relname = ${literal(scripts.table)};
  IF NOT EXISTS (${columnsOf(scripts, historyName, HISTORY)}) THEN
    CREATE TABLE ${history} (${HISTORY_COLUMNS});
    CREATE INDEX ON ${history} (${list(KEY)}, version);
    anew := true;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = ${literal(scripts.schema)} AND p.proname = ${literal(changedName)}
      AND p.pronargs = 0 AND p.prosrc = ${literal(body)}) THEN
    CREATE OR REPLACE FUNCTION ${changed}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = pg_catalog, pg_temp AS ${literal(body)};
    REVOKE ALL ON FUNCTION ${changed}() FROM PUBLIC;
    bound := true;
  END IF;
  IF NOT EXISTS (${trigger(truncatedName)}) THEN
    CREATE TRIGGER ${identifier(truncatedName)} BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${changed}();
  END IF;
  IF NOT EXISTS (${trigger(changedName)}) THEN
    CREATE TRIGGER ${identifier(changedName)} AFTER INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${changed}();
    anew := true;
    bound := true;
  END IF;
  IF bound AND EXISTS (${foreignOf(scripts, names)}) THEN
    RAISE EXCEPTION USING ERRCODE = ${literal(FOREIGN)};
  END IF;
  ${record}`;
  const declared = 'DECLARE watched oid; anew bool := false; bound bool := false; ';
  return locks ? alone(table, statements, declared) : block(statements, declared);
}

/**
 * A row when the history or the function belongs neither to the current user nor to the table's owner nor to a superuser.
 * Anyone with CREATE on the schema could have taken their names, and replacing a function does not change its owner.
 */
function foreignOf({ schema }: ScriptsTable, { historyName, changedName }: Names): string {
  return `SELECT FROM (
      SELECT c.relowner AS owner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ${literal(schema)} AND c.relname = ${literal(historyName)}
      UNION ALL SELECT p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = ${literal(schema)} AND p.proname = ${literal(changedName)} AND p.pronargs = 0) o
    WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = o.owner AND (r.rolsuper
      OR r.rolname = current_user OR r.oid = (SELECT c.relowner FROM pg_class c WHERE c.oid = watched)))`;
}

/** Adds the records that differ from the newest entry of their key: they were changed without the triggers. */
function foundOf({ table, history }: Names): string {
  const others = [...CONTENT, 'created_by'];
  const texts = (row: string): string => others.map((name) => `${row}.${name}::text`).join(', ');
  return `INSERT INTO ${history} (operation, ${list(STATE)}, changed_by)
    SELECT 'found', ${list(STATE, 't.')}, session_user FROM ${table} t
    LEFT JOIN LATERAL (SELECT h.* FROM ${history} h
      WHERE ${KEY.map((name) => `h.${name} = t.${name}::text`).join(' AND ')}
      ORDER BY h.version DESC LIMIT 1) h ON true
    WHERE h.operation IS NULL OR h.operation = 'delete' OR (${texts('h')}) IS DISTINCT FROM (${texts('t')})
    ORDER BY ${list(KEY, 't.')};`;
}

function bodyOf({ table, history }: Names): string {
  const insert = (operation: string, row: string, from = ''): string =>
    `INSERT INTO ${history} (operation, ${list(STATE)}, changed_by)
        SELECT ${operation}, ${list(STATE, `${row}.`)}, editor${from};`;
  const key = (row: string): string => `(${list(KEY, `${row}.`)})`;
  return `
DECLARE
  -- A setting that was set for another transaction is an empty text now.
  editor text := coalesce(nullif(current_setting('${EDITOR}', true), ''), session_user);
BEGIN
  BEGIN
    PERFORM pg_notify(${literal(CHANNEL)}, ${literal(table)});
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'a change of scripts is not notified: %', SQLSTATE;
  END;
  BEGIN
    IF TG_OP = 'TRUNCATE' THEN
      ${insert(literal('delete'), 't', ` FROM ${table} t`)}
    ELSIF TG_OP = 'DELETE' THEN
      ${insert(literal('delete'), 'OLD')}
    ELSIF TG_OP = 'UPDATE' AND ${key('OLD')} IS DISTINCT FROM ${key('NEW')} THEN
      ${insert(literal('delete'), 'OLD')}
      ${insert(literal('insert'), 'NEW')}
    ELSE
      ${insert('lower(TG_OP)', 'NEW')}
    END IF;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'a change of scripts is missing in their history: %', SQLSTATE;
  END;
  RETURN NULL;
END
`;
}
