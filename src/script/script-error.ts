/** The errors that name a script, `<folder>/<script>` in `path`. */
import { ServiceError, type ErrorMembers } from '../errors.js';
import { InvalidParameter, type InvalidValue, type TemplateError } from '../template/template.js';

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
  return new ServiceError('invalid_value', `invalid value for parameter ${parameter}: ${UNSAFE}`);
}

const UNSAFE =
  'it contains SQL syntax that cannot be interpolated safely; use the sqlVal template helper to bind free-form values';

/** The value of a parameter is not what the script needs; the message does not repeat it. */
export function invalidParameter({ parameter, expected, missing }: InvalidValue): ServiceError {
  const reason = missing ? `it is missing, expected ${expected}` : `expected ${expected}`;
  const message = `invalid value for parameter ${parameter}: ${reason}`;
  return new ServiceError('invalid_parameter', message, { members: { parameter } });
}

/** The error for a caller whose request made a template fail; `path` is `<folder>/<script>`. */
export function notRendered(path: string, error: TemplateError): ServiceError {
  if (!(error instanceof InvalidParameter)) return scriptNotUsable(path, error.safeMessage);
  const { parameter, expected, keepsText } = error.invalid;
  if (!keepsText) return invalidParameter(error.invalid);
  return scriptNotUsable(path, error.safeMessage, undefined, { parameter, expected });
}

/** The script cannot be parsed or rendered; `detail` is for the log, and contains no values. */
export function scriptNotUsable(
  path: string,
  detail: string,
  cause?: unknown,
  members?: ErrorMembers,
): ServiceError {
  const message = `could not parse script ${path}, check your service logs`;
  return new ServiceError('script_not_usable', message, { detail, cause, members });
}
