/** The errors that name a script, `<folder>/<script>` in `path`. */
import { ServiceError } from '../errors.js';

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

/** The script cannot be parsed or rendered; `detail` is for the log, and contains no values. */
export function scriptNotUsable(path: string, detail: string, cause?: unknown): ServiceError {
  const message = `could not parse script ${path}, check your service logs`;
  return new ServiceError('script_not_usable', message, { detail, cause });
}
