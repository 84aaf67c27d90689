/** The escapers html, js and urlquery of text/template/funcs.go, on text. */
import { isLoneByte, toBytes } from './byte-string.js';
import { isPrint } from './quote.js';

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[\u0000"'&<>]/g, (c) => HTML[c]!);
}

const JS: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

/** escapeJs escapes text for a JavaScript string constant. */
export function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=\u0000-\u001f]|[^\u0000-\u007f]/gu, (c) => {
    const rune = c.codePointAt(0)!;
    if (rune >= 0x80 && (isLoneByte(rune) || isPrint(rune))) return c;
    return JS[c] ?? `\\u${rune.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

const UNRESERVED = /^[A-Za-z0-9_.~-]$/;

export function escapeUrl(text: string): string {
  let out = '';
  for (const byte of toBytes(text)) {
    const c = String.fromCharCode(byte);
    if (UNRESERVED.test(c)) out += c;
    else if (byte === 0x20) out += '+';
    else out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}
