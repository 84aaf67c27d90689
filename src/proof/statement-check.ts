/** Asks PostgreSQL about a statement of a script: whether it can be parsed, and its types. */
import { ServiceError, statusOfSqlState } from '../errors.js';
import { StatementFailure } from '../pg/queryable.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import {
  firstWord,
  isDefinition,
  positionToScript,
  positionToText,
  withoutFrame,
  type ScriptStatement,
} from '../script/statement.js';

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
  /** SQLSTATE, or a code of src/errors.ts. */
  readonly code: string;
  readonly hint: string | undefined;
  /** In the text of the script (UTF-16 units); undefined if unknown. */
  readonly offset: number | undefined;
}

export interface Parsed {
  /** OIDs of the types of the placeholders, by their numbers. */
  readonly parameters: ReadonlyMap<number, number>;
  /** Of the last statement. */
  readonly columns: Description['columns'];
  /** What parsing does not show. */
  readonly unproved: readonly string[];
}

/** checkStatement rejects with StatementFailure when the database cannot be asked. */
export async function checkStatement(
  statement: ScriptStatement,
  describe: Describe,
): Promise<Parsed | Unparsed> {
  return statement.parts === undefined ? one(statement, describe) : several(statement, describe);
}

async function one(statement: ScriptStatement, describe: Describe): Promise<Parsed | Unparsed> {
  const { sql, start, length, text } = statement;
  // With its frame first: that is what is sent.
  const sent = await described(sql, describe);
  if ('state' in sent) {
    const failure = withoutFrame(statement, sent);
    const { position } = failure;
    return unparsed(failure, position && positionToScript(statement, position));
  }
  const own = start > 0 ? await described(sql.slice(start, start + length), describe) : sent;
  if ('state' in own) return unparsed(own, undefined);
  const parameters = new Map(sent.parameters.map((type, i) => [i + 1, type]));
  return { parameters, columns: own.columns, unproved: unprovedBy(firstWord(text) ?? '') };
}

async function several({ parts }: ScriptStatement, describe: Describe): Promise<Parsed | Unparsed> {
  const parameters = new Map<number, number>();
  const unproved = new Set<string>();
  let columns: Description['columns'] = [];
  for (const part of parts!.list) {
    const found = await described(part.sql, describe);
    if ('state' in found) {
      const { position } = found;
      return unparsed(found, position ? positionToText(part, position) : part.at);
    }
    found.parameters.forEach((type, i) => parameters.set(part.uses[i]! + 1, type));
    if (part.number > 0) ({ columns } = found);
    for (const what of unprovedBy(firstWord(part.sql) ?? '')) unproved.add(what);
    if (!isDefinition(part.sql)) continue;
    unproved.add('the statements after one that defines or drops something');
    break;
  }
  return { parameters, columns, unproved: [...unproved] };
}

async function described(sql: string, describe: Describe): Promise<Description | SqlFailure> {
  const found = await describe(sql);
  if (found instanceof ServiceError) throw new StatementFailure(found);
  if ('state' in found && statusOfSqlState(found.state) >= 503) throw new StatementFailure(found);
  return found;
}

function unparsed({ message, state, hint }: SqlFailure, offset: number | undefined): Unparsed {
  return { message, code: state, hint, offset };
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
