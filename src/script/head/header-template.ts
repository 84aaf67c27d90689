/** A response header declared by `-- @header`; `{column}` in its value stands for a column of the row. */
import { canonicalName, isHeaderName } from '../../base/headers.js';

export interface HeaderTemplate {
  readonly name: string;
  /** Literal texts, and between each two the name of a column. */
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

/** The service's own headers, and those that a response of a script must not change (lower case). */
const OWN =
  /^(?:access-control-(?!expose-headers$).*|allow|connection|content-(?:encoding|length|type)|date|deprecation|keep-alive|proxy-.*|retry-after|server|service-lsn|te|trailer|transfer-encoding|upgrade|www-authenticate|x-content-type-options|x-request-id)$/;

/** Longest literal text of a value. */
const LONGEST = 1_000;

/** Printable ASCII: a header has no other characters, and no CR or LF in particular. */
const LITERAL = /^[ -~]*$/;

/** parseHeaderTemplate reads `Name: text {column} text`. Throws SyntaxError. */
export function parseHeaderTemplate(text: string): HeaderTemplate {
  const colon = text.indexOf(':');
  const sent = text.slice(0, Math.max(colon, 0)).trim();
  const value = text.slice(colon + 1).trim();
  if (colon === -1 || !isHeaderName(sent) || value === '')
    throw new SyntaxError('it takes Name: value, in which {column} stands for a column of the row');
  const name = canonicalName(sent);
  if (OWN.test(name.toLowerCase())) throw new SyntaxError(`the service itself sends ${name}`);
  const texts: string[] = [];
  const columns: string[] = [];
  let at = 0;
  for (const { 0: whole, 1: column = '', index } of value.matchAll(/\{([^{}]+)\}/g)) {
    texts.push(value.slice(at, index));
    columns.push(column);
    at = index + whole.length;
  }
  texts.push(value.slice(at));
  if (texts.some((one) => /[{}]/.test(one)))
    throw new SyntaxError('a { or } in the value is not part of a {column}');
  if (!texts.every((one) => LITERAL.test(one)))
    throw new SyntaxError(
      'the value has a character that is not printable ASCII: percent-encode it',
    );
  if (texts.join('').length > LONGEST) throw new SyntaxError(`the value is longer than ${LONGEST}`);
  if (name === 'Set-Cookie' && columns.length > 0)
    throw new SyntaxError('the value of Set-Cookie must not have a {column}');
  return { name, texts, columns };
}
