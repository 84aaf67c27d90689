/** A request as the form describes it: the HTTP request, and what the curl line and the TypeScript call show. */
import type { Operation } from './operations.js';

/** The texts entered for each parameter, by `place name`; one that is not sent is missing. */
export type Values = ReadonlyMap<string, readonly string[]>;

export interface PreparedBody {
  readonly type: string;
  /** A text, or a file that was chosen. */
  readonly content: string | Blob;
}

export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  /** Without Authorization. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: PreparedBody | undefined;
}

/** prepare makes the request of an operation; `base` is the URL of the service, with a slash at its end. */
export function prepare(
  { method, path, parameters }: Operation,
  values: Values,
  body: PreparedBody | undefined,
  base: string,
): PreparedRequest {
  const query: string[] = [];
  const headers: [string, string][] = [];
  let target = path.replace(/^\//, '');
  for (const { name, place } of parameters) {
    const texts = values.get(`${place} ${name}`) ?? [];
    if (place === 'path')
      target = target.replaceAll(`{${name}}`, encodeURIComponent(texts[0] ?? ''));
    else if (place === 'header') for (const text of texts) headers.push([name, text]);
    else for (const text of texts) query.push(`${encode(name)}=${encode(text)}`);
  }
  if (body !== undefined) headers.push(['Content-Type', body.type]);
  const url = base + target + (query.length === 0 ? '' : `?${query.join('&')}`);
  return { method, url, headers, body };
}

/** Percent-encoding that leaves characters readable and safe in a query string, a path and quotes of a shell. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("'", '%27')
    .replace(/%(?:2C|3A|2F|40)/g, (one) => decodeURIComponent(one));
}
