/** An error of the service, and what its parts mean. */
import { textOf, type Received } from './client.js';
import { isJson } from './operations.js';

export interface Failure {
  readonly message: string;
  readonly code: string | undefined;
  /** What the class of an SQLSTATE means. */
  readonly meaning: string | undefined;
  /** Parameters that are wrong, and what each should be, if the service says so. */
  readonly parameters: readonly { readonly name: string; readonly expected: string }[];
  /** What the response says besides, with `debug`. */
  readonly more: readonly (readonly [string, string])[];
}

/** The classes of SQLSTATE that requests meet. */
const CLASSES: Readonly<Record<string, string>> = {
  '08': 'connection exception',
  '21': 'cardinality violation',
  '22': 'data exception',
  '23': 'integrity constraint violation',
  '25': 'invalid transaction state',
  '26': 'invalid statement name',
  '28': 'invalid authorization',
  '40': 'transaction rollback',
  '42': 'syntax error or access rule violation',
  '53': 'insufficient resources',
  '54': 'program limit exceeded',
  '55': 'object not in prerequisite state',
  '57': 'operator intervention',
  '58': 'system error',
  P0: 'raised by the script',
  XX: 'internal error of PostgreSQL',
};

/** failureOf gives undefined for a response that is not an error of the service. */
export function failureOf(received: Received): Failure | undefined {
  if (received.status < 400 || !isJson(received.type)) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(textOf(received));
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, code, parameter, parameters, ...more } = body as Record<string, unknown>;
  if (typeof error !== 'string') return undefined;
  const isState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  return {
    message: error,
    code: typeof code === 'string' ? code : undefined,
    meaning: isState ? `SQLSTATE: ${CLASSES[code.slice(0, 2)] ?? 'see PostgreSQL'}` : undefined,
    parameters: wrong(error, parameter, parameters),
    more: Object.entries(more).map(([name, value]) => [name, shown(value)]),
  };
}

/** A list of texts, such as the lines of a script around the place of the error, is shown as lines. */
function shown(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Wrong {
  readonly parameter?: unknown;
  readonly expected?: unknown;
}

/** What is wrong with each parameter: what is expected, or else the message. */
function wrong(message: string, parameter: unknown, parameters: unknown): Failure['parameters'] {
  const one = typeof parameter === 'string' ? [{ parameter }] : [];
  const all = (Array.isArray(parameters) ? parameters : one) as Wrong[];
  return all.flatMap(({ parameter: name, expected }) => {
    if (typeof name !== 'string') return [];
    return [{ name, expected: typeof expected === 'string' ? `expected: ${expected}` : message }];
  });
}
