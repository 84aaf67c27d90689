/** An error as a text to read, for browsers and terminals that ask for one in development. */
import { fieldValue } from '../../base/headers.js';

/** An error before it becomes the body of a response. */
export interface ErrorResponse {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  /** Further members of a JSON body. */
  readonly members: Readonly<Record<string, unknown>> | undefined;
}

/** prefersText tells whether a client prefers a text to JSON: Accept names one, and no JSON. */
export function prefersText(headers: string): boolean {
  const accept = fieldValue(headers, 'accept');
  return /\btext\/(?:html|plain)\b/i.test(accept) && !/\bjson\b/i.test(accept);
}

/** readableError writes what the members of the JSON body say: the place with its lines first. */
export function readableError({ status, message, code, members = {} }: ErrorResponse): string {
  const { message: reason, position, source, ...rest } = members;
  const parts = [`${status} ${code}: ${text(reason ?? message)}`];
  if (position !== undefined) parts.push('', `at ${text(position)}`);
  if (Array.isArray(source)) parts.push('', ...source.map((line) => `  ${text(line)}`));
  const more = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (more.length > 0) parts.push('', ...more.map(([name, value]) => `${name}: ${text(value)}`));
  return `${parts.join('\n')}\n`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
