/**
 * Checks the texts of a record: whether they are valid templates, and whether PostgreSQL can parse what they render.
 * Nothing is run. An invalid template is refused with the position of the error.
 */
import { ServiceError, statusOfSqlState } from '../errors.js';
import { HeadError } from '../head/head.js';
import type { Database } from '../pg/database.js';
import { StatementFailure } from '../pg/queryable.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { Position } from '../position.js';
import type { QueryParameters } from '../script/query-string.js';
import { sampleData } from '../script/sample-data.js';
import { unsafeValue } from '../script/script-error.js';
import { compileText, MAX_SIZE, type ScriptText } from '../script/script-text.js';
import {
  isDefinition,
  positionToScript,
  positionToText,
  withoutFrame,
  type ScriptStatement,
  type StatementBuilder,
} from '../script/statement.js';
import { VERBS, type Verb } from '../script/verb.js';
import { RefusedValue, TemplateError, type Rendered } from '../template/template.js';
import type { RecordContent } from './records.js';

export type Texts = ReadonlyMap<Verb, ScriptText>;

export interface TemplatePlace extends Partial<Position> {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  /** PostgreSQL's hint. */
  readonly hint?: string | undefined;
}

/** TemplateRejected: a template cannot be used; status 400. Its message is for the author. */
export class TemplateRejected extends Error {
  override readonly name = 'TemplateRejected';
  /** An error code of src/errors.ts, or the SQLSTATE. */
  readonly code: string;
  readonly place: TemplatePlace;

  constructor(message: string, code: string, place: TemplatePlace) {
    super(message);
    this.code = code;
    this.place = place;
  }
}

/** compileTexts compiles the texts of a script, `<folder>/<script>`. Throws TemplateRejected `invalid_template`. */
export function compileTexts(script: string, content: RecordContent): Texts {
  const texts = new Map<Verb, ScriptText>();
  for (const verb of VERBS) {
    const text = content[`${verb}_sql`] ?? '';
    if (text === '') continue;
    const reason = unusable(text);
    if (reason !== undefined)
      throw new TemplateRejected(`${verb}_sql: ${reason}`, INVALID, { script, verb });
    const compiled = compileText(text, script, verb);
    if (compiled instanceof ServiceError)
      throw rejectionOf(compiled.cause ?? compiled, script, verb);
    texts.set(verb, compiled);
  }
  return texts;
}

/**
 * parseRendered renders templates with sample parameters and has the database parse the statements. Rejects with
 * TemplateRejected, or with StatementFailure when the database cannot be queried.
 */
export async function parseRendered(
  script: string,
  texts: Texts,
  samples: QueryParameters,
  statements: StatementBuilder,
  database: Database,
): Promise<void> {
  for (const [verb, text] of texts) {
    let rendered: Rendered;
    let statement;
    try {
      rendered = text.template.render(sampleData(samples, text));
      statement = statements.build(verb, rendered.text, script, rendered);
    } catch (error) {
      throw rejectionOf(error, script, verb);
    }
    const failed = await parseStatement(statement, database);
    if (failed === undefined) continue;
    const { message, state, hint } = failed.failure;
    const place = failed.offset === undefined ? {} : rendered.locate(failed.offset);
    throw new TemplateRejected(message, state, { script, verb, ...place, hint });
  }
}

interface ParseFailure {
  readonly failure: SqlFailure;
  /** Where in the rendered text; of several statements, one without a position failed where it begins. */
  readonly offset: number | undefined;
}

async function parseStatement(
  statement: ScriptStatement,
  database: Database,
): Promise<ParseFailure | undefined> {
  if (statement.parts === undefined) {
    const reported = await parse(statement.sql, database);
    if (reported === undefined) return undefined;
    const failure = withoutFrame(statement, reported);
    const { position } = failure;
    return { failure, offset: position && positionToScript(statement, position) };
  }
  for (const part of statement.parts.list) {
    const failure = await parse(part.sql, database);
    if (failure !== undefined) {
      const { position } = failure;
      return { failure, offset: position ? positionToText(part, position) : part.at };
    }
    if (isDefinition(part.sql)) break;
  }
  return undefined;
}

/** Rejects with StatementFailure when the database cannot be queried. */
async function parse(sql: string, database: Database): Promise<SqlFailure | undefined> {
  const described = await database.describe(sql, { alone: true });
  if ('columns' in described) return undefined;
  if (described instanceof ServiceError || statusOfSqlState(described.state) >= 503)
    throw new StatementFailure(described);
  return described;
}

/** The code of a text that cannot be used. */
export const INVALID = 'invalid_template';

function unusable(text: string): string | undefined {
  if (Buffer.byteLength(text) > MAX_SIZE) return 'the text is larger than 1 MiB';
  return text.includes('\0') ? 'the text holds a NUL' : undefined;
}

/** The rejection for an error while a template was compiled, rendered or made into a statement. */
function rejectionOf(error: unknown, script: string, verb: Verb): unknown {
  const rejected = (message: string, code: string, position?: Position): TemplateRejected =>
    new TemplateRejected(`${verb}_sql: ${message}`, code, { script, verb, ...position });
  if (error instanceof TemplateError) {
    const { line, column, stage, safeMessage } = error;
    const failed = stage === 'parse' ? 'could not parse' : 'could not render';
    const reason = safeMessage.replace(/^template: \S+ /, ''); // the position is in the message already
    const message = `${failed} script ${script}:${line}:${column}: ${reason}`;
    return rejected(message, INVALID, { line, column });
  }
  if (error instanceof HeadError) {
    const { line, message } = error;
    const reason = `could not parse script ${script}:${line}: ${message}`;
    return new TemplateRejected(`${verb}_sql: ${reason}`, INVALID, { script, verb, line });
  }
  if (error instanceof RefusedValue) {
    const { message, code } = unsafeValue(error.parameter);
    return rejected(message, code);
  }
  if (error instanceof ServiceError) return rejected(error.detail ?? error.message, error.code);
  return error;
}
