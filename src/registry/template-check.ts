/**
 * Whether the texts of a record are templates, and whether PostgreSQL would take what they render. Nothing is run: a
 * rendered statement is only parsed on its database. Refuses a template by telling where in it what is wrong.
 */
import { ServiceError, statusOfSqlState } from '../errors.js';
import { StatementFailure } from '../pg/asked.js';
import type { SqlFailure } from '../pg/sql-failure.js';
import type { Parameters } from '../script/query-string.js';
import { RequestData } from '../script/request-data.js';
import { unsafeValue } from '../script/script-error.js';
import { MAX_SIZE } from '../script/script-text.js';
import { positionToScript, type StatementBuilder } from '../script/statement.js';
import { VERBS, type Verb } from '../script/verb.js';
import {
  compile,
  RefusedValue,
  TemplateError,
  type Position,
  type Rendered,
  type Template,
} from '../template/template.js';
import type { RecordContent } from './records.js';

/** A database that parses statements. */
export interface ParsingDatabase {
  parse(sql: string): Promise<SqlFailure | ServiceError | undefined>;
}

/** The texts of a script, compiled. */
export type Templates = ReadonlyMap<Verb, Template>;

/** Where a template is wrong. */
export interface TemplatePlace extends Partial<Position> {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  /** What PostgreSQL advises. */
  readonly hint?: string | undefined;
}

/** TemplateRefused is a template that cannot be used: status 400. Its message is for who wrote it. */
export class TemplateRefused extends Error {
  override readonly name = 'TemplateRefused';
  /** A word of src/errors.ts, or the SQLSTATE. */
  readonly code: string;
  readonly place: TemplatePlace;

  constructor(message: string, code: string, place: TemplatePlace) {
    super(message);
    this.code = code;
    this.place = place;
  }
}

/** compileTexts compiles the texts of a script, `<folder>/<script>`. Throws TemplateRefused `invalid_template`. */
export function compileTexts(script: string, content: RecordContent): Templates {
  const templates = new Map<Verb, Template>();
  for (const verb of VERBS) {
    const text = content[`${verb}_sql`] ?? '';
    if (text === '') continue;
    const reason = unusable(text);
    if (reason !== undefined)
      throw new TemplateRefused(`${verb}_sql: ${reason}`, INVALID, { script, verb });
    try {
      templates.set(verb, compile(text, script));
    } catch (error) {
      throw refusalOf(error, script, verb);
    }
  }
  return templates;
}

/**
 * parseRendered renders templates with sample parameters and has the database parse what comes of it. Rejects with
 * TemplateRefused, or with StatementFailure when the database fails to say.
 */
export async function parseRendered(
  script: string,
  templates: Templates,
  samples: Parameters,
  statements: StatementBuilder,
  database: ParsingDatabase,
): Promise<void> {
  for (const [verb, template] of templates) {
    let rendered: Rendered;
    let statement;
    try {
      rendered = template.render(new RequestData(samples, '', '', () => undefined));
      statement = statements.build(verb, rendered.text, script);
    } catch (error) {
      throw refusalOf(error, script, verb);
    }
    const failure = await database.parse(statement.sql);
    if (failure === undefined) continue;
    if (failure instanceof ServiceError || statusOfSqlState(failure.state) >= 503)
      throw new StatementFailure(failure);
    const { position, message, state, hint } = failure;
    const place =
      position === undefined ? {} : rendered.locate(positionToScript(statement, position));
    throw new TemplateRefused(message, state, { script, verb, ...place, hint });
  }
}

const INVALID = 'invalid_template';

function unusable(text: string): string | undefined {
  if (Buffer.byteLength(text) > MAX_SIZE) return 'the text is larger than 1 MiB';
  return text.includes('\0') ? 'the text holds a NUL' : undefined;
}

/** What became of a template that could not be compiled, rendered or made into a statement. */
function refusalOf(error: unknown, script: string, verb: Verb): unknown {
  if (error instanceof TemplateError) {
    const { line, column, stage, safeMessage } = error;
    const failed = stage === 'parse' ? 'could not parse' : 'could not render';
    const reason = safeMessage.replace(/^template: \S+ /, ''); // it says where, in its own way
    return new TemplateRefused(
      `${verb}_sql: ${failed} script ${script}:${line}:${column}: ${reason}`,
      INVALID,
      { script, verb, line, column },
    );
  }
  if (error instanceof RefusedValue) {
    const { message, code } = unsafeValue(error.parameter);
    return new TemplateRefused(`${verb}_sql: ${message}`, code, { script, verb });
  }
  if (error instanceof ServiceError)
    return new TemplateRefused(`${verb}_sql: ${error.detail ?? error.message}`, error.code, {
      script,
      verb,
    });
  return error;
}
