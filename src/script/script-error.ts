/** The errors that name a script, `<folder>/<script>` in `path`. */
import { ServiceError, type ErrorDetails } from '../base/errors.js';
import { excerpt } from '../base/excerpt.js';
import { HeadError } from './head/head.js';
import type { Position } from '../base/position.js';
import { InvalidParameter, TemplateError, type InvalidValue } from '../template/template.js';

/** The script has no text for any verb. */
export function scriptNotFound(path: string): ServiceError {
  return new ServiceError('script_not_found', `script not found: ${path}`);
}

/** The script has texts for other verbs; `allow` is the Allow header. */
export function methodNotAllowed(allow: string): ServiceError {
  return new ServiceError('method_not_allowed', undefined, { allow });
}

/** The file or its folder is a link out of the directory of scripts. */
export function outsideTree(path: string): ServiceError {
  return new ServiceError('invalid_script_path', `invalid script path: ${path}`);
}

/** The value of a parameter must not become SQL text; the message does not repeat it. */
export function unsafeValue(parameter: string): ServiceError {
  return new ServiceError('invalid_value', `invalid value for parameter ${parameter}: ${UNSAFE}`, {
    members: { parameter },
  });
}

const UNSAFE =
  'it contains SQL syntax that cannot be interpolated safely; use the sqlVal template helper to bind free-form values';

/** The value of a parameter is not what the script needs; the message does not repeat it. */
export function invalidParameter(
  { parameter, expected, missing }: InvalidValue,
  cause?: TemplateError,
): ServiceError {
  const reason = missing ? `it is missing, expected ${expected}` : `expected ${expected}`;
  const message = `invalid value for parameter ${parameter}: ${reason}`;
  const members = { parameter, parameters: [{ parameter, expected }] };
  return new ServiceError('invalid_parameter', message, {
    detail: cause?.safeMessage,
    cause,
    members,
  });
}

/** Why a script cannot be used, for its author. */
export interface ScriptFailure {
  /** Without values: safe to log. */
  readonly safeMessage: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** `script:line:column`; without the column where only the line is known. */
  readonly position: string | undefined;
  readonly parameter: string | undefined;
}

/** scriptFailure explains an error of a script; `path` is `<folder>/<script>`. */
export function scriptFailure(path: string, error: ServiceError): ScriptFailure {
  const { cause, detail, message } = error;
  const { line, column } = placeOf(error);
  const position = [path, line, column].filter((part) => part !== undefined).join(':');
  const failed = cause instanceof TemplateError ? cause : undefined;
  return {
    safeMessage: failed?.safeMessage ?? detail ?? message,
    message: failed?.message ?? detail ?? message,
    hint: failed?.hint,
    position: line === undefined ? undefined : position,
    parameter: cause instanceof InvalidParameter ? cause.invalid.parameter : undefined,
  };
}

/** placeOf gives the place of an error in its script, as far as known. */
export function placeOf({ cause }: ServiceError): Partial<Position> {
  if (cause instanceof TemplateError) return { line: cause.line, column: cause.column };
  return cause instanceof HeadError ? { line: cause.line } : {};
}

/** sourceOf gives the text of the script that an error is about, as far as known. */
export function sourceOf({ cause }: ServiceError): string | undefined {
  return cause instanceof TemplateError || cause instanceof HeadError ? cause.text : undefined;
}

/** linesAround gives the lines of a script around what an error is about, as far as known. */
export function linesAround(error: ServiceError): string[] | undefined {
  const text = sourceOf(error);
  const { line, column } = placeOf(error);
  return text === undefined || line === undefined ? undefined : excerpt(text, { line, column });
}

/** The error for a caller whose request made a template fail; `path` is `<folder>/<script>`. */
export function notRendered(path: string, error: TemplateError): ServiceError {
  const { safeMessage: detail } = error;
  if (!(error instanceof InvalidParameter)) return scriptNotUsable(path, detail, error);
  const { parameter, expected, keepsText } = error.invalid;
  if (keepsText) return scriptNotUsable(path, detail, error, { parameter, expected });
  return invalidParameter(error.invalid, error);
}

/** No version of the script was found good, and only such ones are served. */
export function scriptNotProved(path: string): ServiceError {
  const message = `script ${path} is broken, check your service logs`;
  return new ServiceError('script_not_proved', message);
}

/** The script cannot be parsed or rendered; `detail` is for the log, and contains no values. */
export function scriptNotUsable(
  path: string,
  detail: string,
  cause?: unknown,
  members?: ErrorDetails['members'],
): ServiceError {
  const message = `could not parse script ${path}, check your service logs`;
  return new ServiceError('script_not_usable', message, { detail, cause, members });
}
