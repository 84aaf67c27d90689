/**
 * The request's headers as `.header` of a template: canonical names, a list for a repeated header, and the six credential
 * headers, always present and always empty. Host and Content-Length are missing. A value that the screen refuses is blank
 * when it is rendered, and unchanged when it is bound.
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

/** Names of the credential headers as origins of values: callers cannot give them a value. */
export const CREDENTIAL_NAMES: ReadonlySet<string> = new Set(
  CREDENTIALS.map((name) => `header.${name}`),
);

const LEFT_OUT = new Set([...CREDENTIALS, 'Host', 'Content-Length'].map((n) => n.toLowerCase()));

type HeaderValue = string | readonly string[];

/** The headers of one request, from the packed form of batch.ts. */
export class HeaderFields implements ValueMap {
  readonly #raw = new Map<string, string | string[]>();
  readonly #rendered = new Map<string, HeaderValue>();
  readonly #onBlanked: (header: string) => void;

  constructor(packed: string, onBlanked: (header: string) => void) {
    this.#onBlanked = onBlanked;
    for (const name of CREDENTIALS) this.#raw.set(name, '');
    const parts = packed === '' ? [] : packed.split('\n');
    for (let i = 0; i + 1 < parts.length; i += 2) {
      // Lower case again, so that the spelling of a credential header cannot make a difference.
      const sent = parts[i]!.toLowerCase();
      if (LEFT_OUT.has(sent)) continue;
      const name = canonicalName(sent);
      const before = this.#raw.get(name);
      if (before === undefined) this.#raw.set(name, parts[i + 1]!);
      else if (typeof before === 'string') this.#raw.set(name, [before, parts[i + 1]!]);
      else before.push(parts[i + 1]!);
    }
  }

  /** get gives the value to be rendered; refused values are blank, and reported by name once for each request. */
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

  /** raw gives the value to be bound, as sent. */
  raw(name: string): HeaderValue | undefined {
    return this.#raw.get(name);
  }
}

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

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
