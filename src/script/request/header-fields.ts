/**
 * The request's headers as `.header` of a template: canonical names, a list for a repeated header, and the six credential
 * headers, always present and always empty. Host and Content-Length are missing. A value that the screen refuses is blank
 * when it is rendered, and unchanged when it is bound; one that was not UTF-8 is blank in both.
 */
import { addPair } from '../body/pairs.js';
import type { DeclaredParameter } from '../head/declared-parameter.js';
import { canonicalName } from '../../base/headers.js';
import { screen } from '../../native/screen.js';
import type { ValueMap } from '../../template/template.js';

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

/** Stands for bytes that are not UTF-8. */
const REPLACED = '\uFFFD';

type HeaderValue = string | readonly string[];

/** The headers of one request, from the packed form of batch.ts. */
export class HeaderFields implements ValueMap {
  readonly #raw = new Map<string, string | string[]>();
  readonly #rendered = new Map<string, HeaderValue>();
  readonly #onBlanked: (header: string) => void;

  readonly #declared: ReadonlyMap<string, DeclaredParameter> | undefined;

  /** `declared` are the parameters that the script declares, if any. */
  constructor(
    packed: string,
    onBlanked: (header: string) => void,
    declared?: ReadonlyMap<string, DeclaredParameter>,
  ) {
    this.#onBlanked = onBlanked;
    this.#declared = declared;
    for (const name of CREDENTIALS) this.#raw.set(name, '');
    const parts = packed === '' ? [] : packed.split('\n');
    for (let i = 0; i + 1 < parts.length; i += 2) {
      // Lower case again, so that the spelling of a credential header cannot make a difference.
      const sent = parts[i]!.toLowerCase();
      if (LEFT_OUT.has(sent)) continue;
      addPair(this.#raw, canonicalName(sent), parts[i + 1]!);
    }
  }

  /** get gives the value to be rendered; refused values are blank, and reported by name once for each request. */
  get(name: string): HeaderValue | undefined {
    const before = this.#rendered.get(name);
    if (before !== undefined) return before;
    if (!this.#raw.has(name)) return this.#fallback(name);
    const raw = this.raw(name)!;
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

  /** isSent tells whether the request has a header that templates may read. */
  isSent(name: string): boolean {
    return this.#raw.has(name) && !CREDENTIALS.includes(name);
  }

  /** raw gives the value to be bound, as sent; blank where bytes of it were replaced, which is reported as by `get`. */
  raw(name: string): HeaderValue | undefined {
    let sent = this.#raw.get(name);
    if (sent === undefined) return this.#fallback(name);
    if (String(sent).includes(REPLACED)) {
      const blank = (one: string) => (one.includes(REPLACED) ? '' : one);
      this.#raw.set(name, (sent = typeof sent === 'string' ? blank(sent) : sent.map(blank)));
      this.#onBlanked(name);
    }
    return typeof sent === 'string' && this.#declared?.get(`header.${name}`)?.list === true
      ? [sent]
      : sent;
  }

  #fallback(name: string): HeaderValue | undefined {
    return this.#declared?.get(`header.${name}`)?.fallback;
  }
}
