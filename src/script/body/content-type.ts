/** The Content-Type of a request's body, as far as scripts use it. */

/** How a body is read; `unknown` has no Content-Type. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary' | 'unknown';

export interface ContentType {
  readonly kind: BodyKind;
  /** Whether its text is UTF-8: without a charset it is. */
  readonly utf8: boolean;
}

const TYPE = /^\s*([^\s;,]+)\s*(?:;|$)/;

/** Charsets that are UTF-8, or a part of it, also behind a quote that does not end. */
const UTF8 = /^"?(?:utf-?8|us-ascii|ascii)(?:[";\s]|$)/i;

/** parseContentType reads the value of a Content-Type header; empty when there is none. */
export function parseContentType(value: string): ContentType {
  const type = TYPE.exec(value)?.[1]?.toLowerCase();
  const charset = parameterOf(value, 'charset');
  return { kind: kindOf(type), utf8: charset === undefined || UTF8.test(charset) };
}

const PARAMETERS = { boundary: pattern('boundary'), charset: pattern('charset') };

/** parameterOf gives a parameter of a Content-Type, without its quotes; undefined when it has none. */
export function parameterOf(value: string, name: keyof typeof PARAMETERS): string | undefined {
  const [, quoted, plain] = PARAMETERS[name].exec(value) ?? [];
  return quoted ?? plain;
}

function pattern(name: string): RegExp {
  return new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]*))`, 'i');
}

function kindOf(type: string | undefined): BodyKind {
  if (type === undefined) return 'unknown';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  if (type.startsWith('text/') || type === 'application/xml' || type.endsWith('+xml'))
    return 'text';
  return 'binary';
}
