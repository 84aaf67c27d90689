/** Names and lines of HTTP headers, and their values in the packed form of requests (WorkerRequest.headers). */

/**
 * canonicalName gives a header name in the form of Go's textproto.CanonicalMIMEHeaderKey: upper case at the start and
 * after each hyphen, lower case elsewhere; an invalid name stays as it is.
 */
export function canonicalName(name: string): string {
  if (!isHeaderName(name)) return name;
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** headerLine is a header as responses carry them: every line begins with CRLF. */
export function headerLine(name: string, value: string): string {
  return `\r\n${name}: ${value}`;
}

/** fieldValue gives the value of a header, its name in lower case: of several joined by commas, of none empty. */
export function fieldValue(headers: string, name: string): string {
  if (!headers.includes(name)) return '';
  const fields = headers.split('\n');
  let value = '';
  for (let i = 0; i + 1 < fields.length; i += 2)
    if (fields[i] === name) value += value === '' ? fields[i + 1]! : `, ${fields[i + 1]!}`;
  return value;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
