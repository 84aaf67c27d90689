/** An error of the service, and what its parts mean. */
import { textOf, type Received } from './client.js';
import { isJson } from './operations.js';

export interface Failure {
  readonly message: string;
  readonly code: string | undefined;
  /** Parameters that are wrong, and what each should be, if the service says so. */
  readonly parameters: readonly { readonly name: string; readonly expected: string }[];
  /** What the response says besides, with `debug`. */
  readonly more: readonly (readonly [string, string])[];
}

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
  return {
    message: error,
    code: typeof code === 'string' ? code : undefined,
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

/** The error of each parameter: the expected values, or else the message. */
function wrong(message: string, parameter: unknown, parameters: unknown): Failure['parameters'] {
  const one = typeof parameter === 'string' ? [{ parameter }] : [];
  const all = (Array.isArray(parameters) ? parameters : one) as Wrong[];
  return all.flatMap(({ parameter: name, expected }) => {
    if (typeof name !== 'string') return [];
    return [{ name, expected: typeof expected === 'string' ? `expected: ${expected}` : message }];
  });
}
