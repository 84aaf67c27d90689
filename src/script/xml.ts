/**
 * The XML form of a response (`_renderer=xml`), made from PostgreSQL's JSON text token by token, so that numbers keep
 * their digits and members their order. The structure follows the Go library mxj, which pREST uses: an array of objects
 * is `<object>` elements, an object of several members is a `<doc>`, an array inside an object repeats its element,
 * null, '' and {} are an empty element. Unlike mxj's, the XML is always well-formed: text is escaped, and characters that
 * XML does not allow in a name are replaced by `_`. Refuses text that is not JSON, and XML over a limit: a member's name is
 * repeated for each item of its array, so that little JSON can become much XML.
 */
import { escapeXml } from '../base/errors.js';

/**
 * jsonToXml converts JSON text to an XML document below `<objects>`. Throws SyntaxError for invalid JSON, and RangeError
 * when the XML would have more than `limit` characters.
 */
export function jsonToXml(json: string, limit = Infinity): string {
  const writer = new XmlWriter(json, limit);
  return `<objects>${writer.document()}</objects>`;
}

/** The element of an array's items without a member's name, and of a root with several members. */
const ITEM = 'object';
const ROOT = 'doc';

/** Deepest nesting: JSON of PostgreSQL rarely has more than 10 levels, and the stack of the thread is limited. */
const MAX_DEPTH = 1000;

class XmlWriter {
  readonly #json: string;
  #at = 0;
  #depth = 0;
  /** Characters left. */
  #left: number;

  constructor(json: string, limit: number) {
    this.#json = json;
    this.#left = limit;
  }

  document(): string {
    const first = this.#peek();
    let body;
    if (first === '[') {
      const items = this.#list(ITEM);
      body = items.objects ? items.xml : this.#element(ROOT, items.xml);
    } else if (first === '{') {
      const members = this.#members();
      // A single member is the root, unless it is an array of anything but objects, which has no single root.
      const single = members.count === 1 && members.objects;
      body = members.count === 0 || !single ? this.#element(ROOT, members.xml) : members.xml;
    } else body = this.#element(ROOT, this.#scalar());
    if (this.#peek() !== '') throw this.#unexpected();
    return body;
  }

  /** A value in an element of that name; an array in one element for each item. */
  #value(name: string): string {
    const first = this.#peek();
    if (first === '[') return this.#list(name).xml;
    return this.#element(name, first === '{' ? this.#members().xml : this.#scalar());
  }

  #members(): { xml: string; count: number; objects: boolean } {
    this.#enter();
    let xml = '';
    let count = 0;
    let objects = true;
    for (let more = this.#peek() !== '}'; more; more = this.#peek() === ',') {
      if (count++ > 0) this.#at++;
      if (this.#peek() !== '"') throw this.#unexpected();
      const name = elementName(this.#string());
      if (this.#peek() !== ':') throw this.#unexpected();
      this.#at++;
      if (this.#peek() === '[') {
        const items = this.#list(name);
        xml += items.xml;
        objects = items.objects;
      } else xml += this.#value(name);
    }
    this.#leave('}');
    return { xml, count, objects };
  }

  #list(name: string): { xml: string; objects: boolean } {
    this.#enter();
    let xml = '';
    let objects = true;
    for (let more = this.#peek() !== ']', count = 0; more; more = this.#peek() === ',') {
      if (count++ > 0) this.#at++;
      if (this.#peek() !== '{') objects = false;
      xml += this.#value(name);
    }
    this.#leave(']');
    return { xml, objects };
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new SyntaxError('JSON is nested too deeply for XML');
    this.#at++;
  }

  #leave(bracket: string): void {
    if (this.#peek() !== bracket) throw this.#unexpected();
    this.#at++;
    this.#depth--;
  }

  #scalar(): string {
    if (this.#peek() === '"') return this.#count(escapeXml(this.#string()));
    LITERAL.lastIndex = this.#at;
    const literal = LITERAL.exec(this.#json)?.[0];
    if (literal === undefined) throw this.#unexpected();
    this.#at += literal.length;
    return literal === 'null' ? '' : this.#count(literal);
  }

  /** An element whose content is counted already. */
  #element(name: string, content: string): string {
    if (content === '') return this.#count(`<${name}/>`);
    this.#spend(2 * name.length + '<></>'.length);
    return `<${name}>${content}</${name}>`;
  }

  #count(text: string): string {
    this.#spend(text.length);
    return text;
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new RangeError('the XML is too large');
  }

  /** The string at the current offset, decoded if it has a backslash. */
  #string(): string {
    const json = this.#json;
    const start = this.#at;
    let escaped = false;
    let i = start + 1;
    for (; ; i++) {
      const c = json.charCodeAt(i);
      if (c === 0x22) break;
      if (c === 0x5c) {
        escaped = true;
        i++;
      } else if (Number.isNaN(c)) throw this.#unexpected();
    }
    this.#at = i + 1;
    return escaped ? (JSON.parse(json.slice(start, i + 1)) as string) : json.slice(start + 1, i);
  }

  /** The next character that is not white space, without consuming it; '' at the end. */
  #peek(): string {
    for (;;) {
      const c = this.#json.charCodeAt(this.#at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return this.#json.charAt(this.#at);
      this.#at++;
    }
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`unexpected JSON at offset ${this.#at}`);
  }
}

const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** elementName makes an XML name of any text, without colons, which would mean a namespace. */
function elementName(text: string): string {
  const name = text.replace(NOT_NAME, '_');
  return NAME_START.test(name) ? name : `_${name}`;
}

// Name characters of XML 1.0 (fifth edition), production 4a, without the colon.
const START =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F' +
  '\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const NAME_START = new RegExp(`^[${START}]`, 'u');
const NOT_NAME = new RegExp(`[^${START}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040]`, 'gu');
