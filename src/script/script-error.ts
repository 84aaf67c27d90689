/**
 * The answers that name a script: one place for their exact words. `path` is `<folder>/<script>`, as asked for.
 */
import { ServiceError } from '../errors.js';

/** scriptNotFound: there is no such script for any verb. */
export function scriptNotFound(path: string): ServiceError {
  return new ServiceError('script_not_found', `script not found: ${path}`);
}

/** methodNotAllowed: the script exists for other verbs; `allow` is the Allow header. */
export function methodNotAllowed(allow: string): ServiceError {
  return new ServiceError('method_not_allowed', undefined, { allow });
}

/** outsideTree: the file or its folder leads out of the directory of scripts. */
export function outsideTree(path: string): ServiceError {
  return new ServiceError('invalid_script_path', `invalid script path: ${path}`);
}

/** unsafeValue: what was sent for a parameter may not become SQL text; it is not told what it was. */
export function unsafeValue(parameter: string): ServiceError {
  return new ServiceError('invalid_value', `invalid value for parameter ${parameter}: ${UNSAFE}`);
}

const UNSAFE =
  'it contains SQL syntax that cannot be interpolated safely; use the sqlVal template helper to bind free-form values';

/** scriptNotUsable: the script cannot be parsed or rendered; `detail` is for the log, and holds no values. */
export function scriptNotUsable(path: string, detail: string, cause?: unknown): ServiceError {
  return new ServiceError(
    'script_not_usable',
    `could not parse script ${path}, check your service logs`,
    { detail, cause },
  );
}
