/**
 * The data a template sees of one request (specification 2.3): query parameters as fields, `.header`, and `_page` and
 * `_page_size` when they were not sent. The caller's claims are there to be bound, and for nothing else. Nothing is
 * screened before it is asked for, and nothing asked for twice is screened twice. Refuses by value: what the screen refuses comes out as a Refused. Names are keys of Maps alone, so
 * that `__proto__` and the like are names as any other.
 */
import { screen } from '../native/screen.js';
import { Refused, type TemplateMap } from '../template/template.js';
import { Claims } from './claims.js';
import { HeaderFields } from './header-fields.js';
import type { Parameters } from './query-string.js';

/** A field's value: what was sent, with a Refused in place of what the screen refuses. */
export type FieldValue = string | Refused | readonly (string | Refused)[];

/** What `_page` and `_page_size` are when the request has none. */
export const PARAMETER_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['_page', '1'],
  ['_page_size', '10'],
]);

/** RequestData is one request's data. It costs nothing until a template asks for something. */
export class RequestData implements TemplateMap {
  readonly screened = true;
  readonly #parameters: Parameters;
  readonly #packedHeaders: string;
  readonly #claimsJson: string;
  readonly #onBlanked: (header: string) => void;
  #header: HeaderFields | undefined;
  #claims: Claims | undefined;
  /** Keys of the values screened before, and beside them the values: a few at most. */
  #keys: string[] | undefined;
  #values: FieldValue[] | undefined;

  /**
   * `headers` is packed as protocol.ts says; `claims` is a JSON object, or empty when there are none. `onBlanked` is told
   * the name (never the value) of each header whose value was asked for and blanked, once.
   */
  constructor(
    parameters: Parameters,
    headers: string,
    claims: string,
    onBlanked: (header: string) => void,
  ) {
    this.#parameters = parameters;
    this.#packedHeaders = headers;
    this.#claimsJson = claims;
    this.#onBlanked = onBlanked;
  }

  /** get is the field's value to be rendered, undefined when there is none. */
  get(key: string): FieldValue | HeaderFields | undefined {
    if (key === 'header') return this.#headerFields();
    const before = this.#keys?.indexOf(key) ?? -1;
    if (before !== -1) return this.#values![before];
    const sent = this.#sent(key);
    if (sent === undefined) return PARAMETER_DEFAULTS.get(key);
    const value = typeof sent === 'string' ? checked(key, sent) : sent.map((v) => checked(key, v));
    (this.#keys ??= []).push(key);
    (this.#values ??= []).push(value);
    return value;
  }

  keys(): string[] {
    const keys = new Set(['header', ...PARAMETER_DEFAULTS.keys()]);
    for (const key of this.#parameters.keys()) if (!isReservedKey(key)) keys.add(key);
    return [...keys];
  }

  /** raw is the value as it was sent, to be bound: a parameter, or with `header.<Name>` a header. */
  raw(key: string): string | readonly string[] | undefined {
    if (key.startsWith(HEADER_PREFIX)) {
      return this.#headerFields().raw(key.slice(HEADER_PREFIX.length));
    }
    return this.#sent(key) ?? PARAMETER_DEFAULTS.get(key);
  }

  /**
   * claim is the value of one of the caller's claims, to be bound; dots lead into objects. Throws ServiceError
   * `invalid_value` for one that PostgreSQL cannot take.
   */
  claim(name: string): unknown {
    if (this.#claimsJson === '') return undefined;
    return (this.#claims ??= new Claims(this.#claimsJson)).get(name);
  }

  /** isSent tells whether the request has the field; each has headers. */
  isSent(key: string): boolean {
    return key === 'header' || this.#sent(key) !== undefined;
  }

  screen(text: string): boolean {
    return screen(text);
  }

  #sent(key: string): string | string[] | undefined {
    return isReservedKey(key) ? undefined : this.#parameters.get(key);
  }

  #headerFields(): HeaderFields {
    return (this.#header ??= new HeaderFields(this.#packedHeaders, this.#onBlanked));
  }
}

const HEADER_PREFIX = 'header.';

/** isReservedKey tells whether a key is never looked up in the query string. */
export function isReservedKey(key: string): boolean {
  switch (key.charCodeAt(0)) {
    case 0x68:
      return key === 'header' || key.startsWith(HEADER_PREFIX);
    case 0x5f:
      return key === '_param' || key === '_header';
    case 0x63:
      return key.startsWith('claims.');
    default:
      return false;
  }
}

function checked(parameter: string, value: string): string | Refused {
  return screen(value) ? value : new Refused(parameter);
}
