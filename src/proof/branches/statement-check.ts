/** Asks PostgreSQL about a statement of a script: whether it can be parsed, and its types. */
import { ServiceError, statusOfSqlState } from '../../base/errors.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import type { Head } from '../../script/head/head.js';
import type { SqlFailure } from '../../postgres/statement/sql-failure.js';
import { isDefinition } from '../../script/definition.js';
import { columnsFault, frameFault } from '../../script/head-columns.js';
import {
  firstWord,
  positionToScript,
  positionToText,
  withoutFrame,
  type ScriptStatement,
} from '../../script/statement/statement.js';
import type { Verb } from '../../script/verb.js';

/** What PostgreSQL says about a statement that it has parsed: OIDs of types. */
export interface Description {
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

/** Parses and describes a statement. */
export type Describe = (sql: string) => Promise<Description | SqlFailure | ServiceError>;

/** A statement that cannot be parsed. */
export interface Unparsed {
  readonly message: string;
  /** SQLSTATE, or a code of src/base/errors.ts. */
  readonly code: string;
  readonly hint: string | undefined;
  /** In the text of the script (UTF-16 units); undefined if unknown. */
  readonly offset: number | undefined;
  /** The number of a placeholder whose type is not known, which has no position. */
  readonly parameter?: number | undefined;
  /** Whether the grammar refuses it, which does not tell one name from another. */
  readonly isSyntax?: boolean;
}

/** A statement that PostgreSQL has parsed, of a read without its frame: OIDs of the types of its placeholders. */
export interface ParsedStatement {
  readonly sql: string;
  readonly parameters: readonly number[];
}

export interface Parsed {
  /** OIDs of the types of the placeholders, by their numbers. */
  readonly parameters: ReadonlyMap<number, number>;
  /** Of the last statement. */
  readonly columns: Description['columns'];
  /** What is the script's of the statements, the one with those columns last. */
  readonly statements: readonly ParsedStatement[];
  /** What parsing does not show. */
  readonly unproved: readonly string[];
  /** Whether there are statements after these, which depend on what they do. */
  readonly isPart: boolean;
}

/** checkStatement rejects with StatementFailure when the database cannot be asked. */
export async function checkStatement(
  statement: ScriptStatement,
  verb: Verb,
  head: Head,
  describe: Describe,
): Promise<Parsed | Unparsed> {
  if (verb === 'read') return read(statement, head, describe);
  const { parts } = statement;
  const parsed = await (parts === undefined
    ? change(statement, describe)
    : several(parts, describe));
  if ('code' in parsed) return parsed;
  // What follows a definition is not known.
  if (parsed.isPart) return parsed;
  const { columns } = parsed;
  const fault = columnsFault(head, columns.length === 0 ? undefined : columns);
  return fault === undefined ? parsed : refused(fault);
}

async function read(
  statement: ScriptStatement,
  head: Head,
  describe: Describe,
): Promise<Parsed | Unparsed> {
  const { sql, start, length, text } = statement;
  // With its frame first: that is what is sent.
  const sent = await described(sql, describe);
  if ('state' in sent) {
    const fault = frameFault(head, statement, sent);
    if (fault !== undefined) return refused(fault);
    const failure = withoutFrame(statement, sent);
    const { position } = failure;
    return unparsed(failure, position && positionToScript(statement, position));
  }
  const inner = sql.slice(start, start + length);
  const own = await described(inner, describe);
  if ('state' in own) return unparsed(own, undefined);
  const { parameters } = parsedAs(sent, sql);
  return { ...parsedAs(own, inner), parameters, unproved: unprovedBy(firstWord(text) ?? '') };
}

async function change(statement: ScriptStatement, describe: Describe): Promise<Parsed | Unparsed> {
  const { sql, text } = statement;
  const found = await described(sql, describe);
  if ('state' in found) {
    const { position } = found;
    return unparsed(found, position && positionToScript(statement, position));
  }
  return { ...parsedAs(found, sql), unproved: unprovedBy(firstWord(text) ?? '') };
}

async function several(
  { list }: NonNullable<ScriptStatement['parts']>,
  describe: Describe,
): Promise<Parsed | Unparsed> {
  const parameters = new Map<number, number>();
  const unproved = new Set<string>();
  const statements: ParsedStatement[] = [];
  let columns: Description['columns'] = [];
  let isPart = false;
  for (const part of list) {
    const found = await described(part.sql, describe);
    const numberOf = (place: number): number => (part.uses[place - 1] ?? -1) + 1;
    if ('state' in found) {
      const { position } = found;
      return unparsed(found, position ? positionToText(part, position) : part.at, numberOf);
    }
    found.parameters.forEach((type, i) => parameters.set(numberOf(i + 1), type));
    if (part.number > 0) {
      ({ columns } = found);
      statements.push({ sql: part.sql, parameters: found.parameters });
    }
    for (const what of unprovedBy(firstWord(part.sql) ?? '')) unproved.add(what);
    if (!isDefinition(part.sql) || part === list.at(-1)) continue;
    unproved.add('the statements after one that creates, changes or sets what they may depend on');
    isPart = true;
    break;
  }
  return { parameters, columns, statements, unproved: [...unproved], isPart };
}

function parsedAs({ parameters, columns }: Description, sql: string): Parsed {
  const types = new Map(parameters.map((type, i) => [i + 1, type]));
  return {
    parameters: types,
    columns,
    statements: [{ sql, parameters }],
    unproved: [],
    isPart: false,
  };
}

async function described(sql: string, describe: Describe): Promise<Description | SqlFailure> {
  const found = await describe(sql);
  if (found instanceof ServiceError) throw new StatementFailure(found);
  if ('state' in found && isPassing(found.state)) throw new StatementFailure(found);
  return found;
}

/** SQLSTATE read_only_sql_transaction: what parsing runs, such as the CHECK of a domain, writes. */
export const WRITES = '25006';

/** Whether the same statement may be parsed later: after a lock that was not given in time, or a server that was not there. */
function isPassing(state: string): boolean {
  return state !== WRITES && (state === '55P03' || statusOfSqlState(state) >= 503);
}

function unparsed(
  { message, state, hint, routine }: SqlFailure,
  offset: number | undefined,
  numberOf = (place: number): number => place,
): Unparsed {
  const place = state === UNDETERMINED ? Number(/\$(\d+)/.exec(message)?.[1] ?? 0) : 0;
  const isSyntax = routine === 'scanner_yyerror';
  if (place === 0) return { message, code: state, hint, offset, isSyntax };
  return { message, code: state, hint, offset: undefined, parameter: numberOf(place) };
}

/** SQLSTATE indeterminate_datatype. */
const UNDETERMINED = '42P18';

/** refused is a statement that the service itself refuses. */
export function refused({ code, message, detail }: ServiceError): Unparsed {
  return { code, message: detail ?? message, hint: undefined, offset: undefined };
}

/** Statements that PostgreSQL analyses when it parses them; of others it checks the grammar only. */
const ANALYSED: ReadonlySet<string> = new Set(
  ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES', 'TABLE', 'WITH', 'CALL', 'EXPLAIN'], //
);

function unprovedBy(first: string): string[] {
  if (ANALYSED.has(first)) return [];
  return [
    first === 'DO' ? 'the body of DO' : `the ${first} statement, which is checked when it runs`,
  ];
}
