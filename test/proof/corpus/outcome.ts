/** What becomes of a request for a script of the corpus: rendered by the engine, and parsed by PostgreSQL. */
import type { BodyValue } from '#app/script/body/request-body.js';
import { ServiceError } from '#app/base/errors.js';
import type { Database } from '#app/postgres/lanes/database.js';
import type { Position } from '#app/base/position.js';
import { frameFault } from '#app/script/head-columns.js';
import { checkParameters } from '#app/script/request/declared-parameters.js';
import { invalidValue } from '#app/script/request/invalid-value.js';
import type { RequestData } from '#app/script/request/request-data.js';
import type { ScriptText } from '#app/script/script-text.js';
import { ShapedStatements } from '#app/script/statement/shaped-statements.js';
import { statementFault } from '#app/script/statement/statement-fault.js';
import {
  firstWord,
  jsonFrame,
  positionToScript,
  positionToText,
  returnsNoRows,
  StatementBuilder,
  withoutFrame,
  type ScriptStatement,
} from '#app/script/statement/statement.js';
import {
  InvalidParameter,
  RefusedValue,
  TemplateError,
  type Rendered,
} from '#app/template/template.js';
import { realRequest } from '../real-request.js';
import type { Sample } from './expectation.js';

/** Why a request fails; `parameter` is what the service blames on the caller. */
export interface Failed extends Partial<Position> {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string | undefined;
}

/** Undefined for a statement that parses; 'refused' for parameters that are not what the script declares. */
export type Outcome = Failed | 'refused' | undefined;

const MAX_RESULT = 32 << 20;

/** The statements of the service itself, also for reads. */
const STATEMENTS = new StatementBuilder(jsonFrame('json_agg', MAX_RESULT));
const SHAPED = new ShapedStatements('json_agg', MAX_RESULT);

/** requestData is the data of a request that a script gets. */
export function requestData(sample: Sample, text: ScriptText): RequestData {
  const values = new Map<string, BodyValue>();
  for (const [name, value] of Object.entries(sample))
    if (value !== undefined) values.set(name, value);
  return realRequest(values, text);
}

/** outcomeOf renders a text and has the database parse it. `script` is `<folder>/<name>`. */
export async function outcomeOf(
  script: string,
  text: ScriptText,
  sample: Sample,
  database: Database,
): Promise<Outcome> {
  const data = requestData(sample, text);
  let rendered: Rendered;
  let statement;
  try {
    checkParameters(text.head.parameters, data);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return 'refused';
  }
  try {
    rendered = text.template.render(data);
    const builder = text.verb === 'read' ? SHAPED.of(text.head) : undefined;
    statement = (builder ?? STATEMENTS).build(text.verb, rendered.text, script, rendered);
    if (text.verb !== 'read' && text.head.shape !== 'list' && returnsNoRows(lastText(statement)))
      throw new ServiceError('no_rows_returned');
  } catch (error) {
    return failedTo(error);
  }
  const misplaced = rendered.misplacedPlaceholder();
  if (misplaced !== undefined)
    return { code: 'placeholder_in_literal', message: '', line: misplaced.line, column: misplaced.column }; // prettier-ignore
  const parts = statement.parts?.list ?? [undefined];
  for (const part of parts) {
    const { sql } = part ?? statement;
    const reported = await database.describe(sql);
    if ('parameters' in reported) {
      // What follows may need what it makes.
      if (firstWord(sql) === 'CREATE') break;
      continue;
    }
    if (reported instanceof ServiceError) throw reported;
    const frame = frameFault(text.head, statement, reported);
    if (frame !== undefined) return failedTo(frame);
    const failure = part === undefined ? withoutFrame(statement, reported) : reported;
    const { position, state, message } = failure;
    const offset =
      position === undefined
        ? part?.at
        : part === undefined
          ? positionToScript(statement, position)
          : positionToText(part, position);
    const sent = () => (name: string) => data.isSent(name);
    const parameter =
      statementFault(state, rendered, sent, text.head.parameters)?.parameter ??
      invalidValue(failure, { rendered, uses: part?.uses, offset });
    const place = offset === undefined ? {} : rendered.locate(offset);
    return { code: state, message, parameter, ...place };
  }
  return undefined;
}

function failedTo(error: unknown): Failed {
  if (error instanceof InvalidParameter) {
    const { line, column, safeMessage, invalid } = error;
    const { parameter } = invalid;
    return { code: 'invalid_parameter', message: safeMessage, parameter, line, column };
  }
  if (error instanceof TemplateError) {
    const { line, column, safeMessage } = error;
    return { code: 'script_not_usable', message: safeMessage, line, column };
  }
  if (error instanceof RefusedValue)
    return { code: 'invalid_value', message: error.message, parameter: error.parameter };
  if (error instanceof ServiceError)
    return { code: error.code, message: error.detail ?? error.message };
  throw error;
}

/** The response is that of the last statement. */
function lastText({ text, parts }: ScriptStatement): string {
  return parts?.list.at(-1)?.sql ?? text;
}
