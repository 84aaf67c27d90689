/**
 * The cause of a rejected statement, where it can be derived: a placeholder in quotes or a comment, or text of the caller
 * that became part of the SQL. Computed only after a failure.
 */
import { ServiceError } from '../../base/errors.js';
import type { Position } from '../../base/position.js';
import type { Rendered } from '../../template/template.js';
import { CREDENTIAL_NAMES } from '../request/header-fields.js';
import { PARAMETER_DEFAULTS, type DeclaredParameters } from '../request/request-data.js';

/** The error for the caller, and the position of the cause in the script when PostgreSQL reports another one. */
export interface StatementFault {
  readonly error: ServiceError;
  readonly place?: Position;
  /** The first of the parameters that the error names. */
  readonly parameter?: string | undefined;
}

/**
 * SQLSTATEs that a placeholder in quotes or a comment causes, always before anything runs: the number of parameters is not
 * the number of bound values, or `$1` is not a valid name, number or date.
 */
const MISPLACED = /^(?:08P01|22|42(?!501))/;
/** SQLSTATEs of class 42 that are unrelated to a caller's text. */
const UNBOUND: ReadonlySet<string> = new Set(['42501', '42P18']);

/** Tells whether the request has a value for a parameter, of the query string or the body. */
export type IsSent = (name: string) => boolean;

/** statementFault derives the cause from the SQLSTATE and the rendered text; `sent` is called only where that is needed. */
export function statementFault(
  state: string,
  rendered: Rendered,
  sent: () => IsSent,
  declared?: DeclaredParameters,
): StatementFault | undefined {
  const place = MISPLACED.test(state) ? rendered.misplacedPlaceholder() : undefined;
  if (place !== undefined) return { error: new ServiceError('placeholder_in_literal'), place };
  if (!state.startsWith('42') || UNBOUND.has(state)) return undefined;
  const { sent: given, absent, missing } = rendered.interpolated();
  if (given.length === 0 && !absent) return undefined;
  const isSent = sent();
  // Defaults, and the empty values of credential headers, do not come from the caller.
  const names = given.filter(
    (name) =>
      isSent(name) ||
      !(
        PARAMETER_DEFAULTS.has(name) ||
        CREDENTIAL_NAMES.has(name) ||
        declared?.get(name)?.fallback !== undefined
      ),
  );
  if (names.length === 0 && !absent) return undefined;
  const lacking = missing.filter((name) => !isSent(name));
  const all = [...new Set([...names, ...lacking])];
  const error = new ServiceError('invalid_value', message(all, names, lacking));
  return { error, parameter: all[0] };
}

function message(
  all: readonly string[],
  names: readonly string[],
  missing: readonly string[],
): string {
  if (all.length === 0)
    return 'invalid value: a parameter that the script puts into its SQL is missing';
  const one = all.length === 1;
  const parameters = `invalid value for ${one ? 'parameter' : 'parameters'} ${all.join(', ')}`;
  if (names.length === 0) return `${parameters}: ${one ? 'it is' : 'they are'} missing`;
  const refused = `PostgreSQL does not accept the statement with ${one ? 'it' : 'them'}`;
  const lacking = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`;
  return `${parameters}: ${refused}${lacking}`;
}
