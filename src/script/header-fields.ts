/**
 * The request's headers as `.header` of a template: canonical names, a list for a header that was repeated, the six
 * credential headers always there and always empty. Host and Content-Length are not among them. A value that the
 * screen refuses is blanked when it is rendered; bound, it is as it was sent.
 */
import { screen } from '../native/screen.js';
import type { ValueMap } from '../template/template.js';

/** Withheld from templates (specification 2.3), by canonical name. */
const CREDENTIALS: readonly string[] = [
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'X-Api-Key',
  'X-Auth-Token',
  'X-Access-Token',
];

const LEFT_OUT = new Set([...CREDENTIALS, 'Host', 'Content-Length'].map((n) => n.toLowerCase()));

type HeaderValue = string | readonly string[];

/** HeaderFields is the map of one request's headers, made from the packed form of protocol.ts. */
export class HeaderFields implements ValueMap {
  readonly #raw = new Map<string, string | string[]>();
  readonly #rendered = new Map<string, HeaderValue>();
  readonly #onBlanked: (header: string) => void;

  constructor(packed: string, onBlanked: (header: string) => void) {
    this.#onBlanked = onBlanked;
    for (const name of CREDENTIALS) this.#raw.set(name, '');
    const parts = packed === '' ? [] : packed.split('\n');
    for (let i = 0; i + 1 < parts.length; i += 2) {
      // In lower case here whatever the sender made of it, for a credential must not slip through by its spelling.
      const sent = parts[i]!.toLowerCase();
      if (LEFT_OUT.has(sent)) continue;
      const name = canonicalName(sent);
      const before = this.#raw.get(name);
      if (before === undefined) this.#raw.set(name, parts[i + 1]!);
      else if (typeof before === 'string') this.#raw.set(name, [before, parts[i + 1]!]);
      else before.push(parts[i + 1]!);
    }
  }

  /** get is the value to be rendered; refused values are blank, and reported by name once a request. */
  get(name: string): HeaderValue | undefined {
    const before = this.#rendered.get(name);
    if (before !== undefined) return before;
    const raw = this.#raw.get(name);
    if (raw === undefined) return undefined;
    const blank = (one: string) => (screen(one) ? one : '');
    const value = typeof raw === 'string' ? blank(raw) : raw.map(blank);
    const blanked =
      typeof raw === 'string' ? value !== raw : raw.some((one, i) => one !== value[i]);
    if (blanked) this.#onBlanked(name);
    this.#rendered.set(name, value);
    return value;
  }

  keys(): string[] {
    return [...this.#raw.keys()];
  }

  /** raw is the value to be bound, as it was sent. */
  raw(name: string): HeaderValue | undefined {
    return this.#raw.get(name);
  }
}

/**
 * canonicalName is a header name in the form of Go's textproto.CanonicalMIMEHeaderKey: upper case at the start and
 * after each hyphen, lower case elsewhere; a name with characters that no header name has stays as it is.
 */
export function canonicalName(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
