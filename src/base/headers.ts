/** Names and lines of HTTP headers. */

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

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
