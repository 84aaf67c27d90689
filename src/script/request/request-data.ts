/**
 * The data of one request for its template (specification 2.3): query parameters as fields, `.header`, the body under
 * `request.body` and `body.`, and defaults for `_page` and `_page_size`. The caller's claims can only be bound. Values are
 * screened at their first use, and once; in place of a value that the screen refuses there is a Refused. Names are keys of
 * Maps only, so `__proto__` and the like are ordinary names.
 */
import { BODY_PREFIX, type BodyValue, type RequestBody } from '../body/request-body.js';
import { ServiceError } from '../../base/errors.js';
import type { DeclaredParameter } from '../head/declared-parameter.js';
import { screen } from '../../native/screen.js';
import { Refused, type TemplateMap } from '../../template/template.js';
import { Claims } from './claims.js';
import { HeaderFields } from './header-fields.js';
import type { QueryParameters } from './query-string.js';

/** The value of a field, with a Refused in place of what the screen refuses. */
export type FieldValue = string | Refused | readonly (string | Refused | null)[];

export type DeclaredParameters = ReadonlyMap<string, DeclaredParameter>;

/** Values of parameters that the request does not have. */
export const PARAMETER_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['_page', '1'],
  ['_page_size', '10'],
]);

/** It costs nothing until a template uses it. */
export class RequestData implements TemplateMap {
  readonly screened = true;
  readonly #parameters: QueryParameters;
  readonly #packedHeaders: string;
  readonly #claimsJson: string;
  readonly #onBlanked: (header: string) => void;
  readonly #body: RequestBody | undefined;
  readonly #declared: DeclaredParameters | undefined;
  readonly #until: number;
  #header: HeaderFields | undefined;
  #claims: Claims | undefined;
  #screened: Map<string, FieldValue> | undefined;

  /**
   * `headers` is packed as in batch.ts; `claims` is a JSON object, or empty. `onBlanked` is called once with the name (never
   * the value) of each header whose value was used and blanked. `declared` are the parameters that the script declares, if any;
   * `body` is undefined for scripts that use none. After `until` (performance.now) the request has ended.
   */
  constructor(
    parameters: QueryParameters,
    headers: string,
    claims: string,
    onBlanked: (header: string) => void,
    declared?: DeclaredParameters,
    body?: RequestBody,
    until = Infinity,
  ) {
    this.#until = until;
    this.#declared = declared;
    this.#parameters = parameters;
    this.#packedHeaders = headers;
    this.#claimsJson = claims;
    this.#onBlanked = onBlanked;
    this.#body = body;
  }

  /** get gives the value to be rendered, or undefined. */
  get(key: string): FieldValue | HeaderFields | undefined {
    if (key === 'header') return this.#headerFields();
    const before = this.#screened?.get(key);
    if (before !== undefined) return before;
    const sent = this.#sent(key);
    if (sent === undefined) return this.#absent(key);
    if (sent === null) return undefined; // as text it is nothing
    const value =
      typeof sent === 'string'
        ? checked(key, sent)
        : sent.map((one) => (one === null ? null : checked(key, one)));
    (this.#screened ??= new Map()).set(key, value);
    return value;
  }

  keys(): string[] {
    const keys = new Set(['header', ...PARAMETER_DEFAULTS.keys()]);
    for (const { name, fallback } of this.#declared?.values() ?? [])
      if (fallback !== undefined && !name.startsWith(HEADER_PREFIX)) keys.add(name);
    for (const key of this.#parameters.keys()) if (!isReservedKey(key)) keys.add(key);
    return [...keys];
  }

  /** raw gives the value to be bound, as sent: of a parameter, of the body, or with `header.<Name>` of a header. */
  raw(key: string): BodyValue | undefined {
    if (key.startsWith(HEADER_PREFIX)) {
      return this.#headerFields().raw(headerOf(key));
    }
    const sent = this.#sent(key);
    return sent === undefined ? (this.fallback(key) ?? PARAMETER_DEFAULTS.get(key)) : sent;
  }

  bytes(key: string): Buffer | undefined {
    return this.#body?.bytes(key);
  }

  get size(): number {
    return this.#body?.size ?? 0;
  }

  /** fallback is the declared default of a parameter. */
  fallback(key: string): string | readonly string[] | undefined {
    return this.#declared?.get(key)?.fallback;
  }

  /**
   * claim gives the value of a claim, to be bound; dots lead into objects. Throws ServiceError `invalid_value` for one that
   * PostgreSQL cannot store.
   */
  claim(name: string): unknown {
    if (this.#claimsJson === '') return undefined;
    return (this.#claims ??= new Claims(this.#claimsJson)).get(name);
  }

  isSent(key: string): boolean {
    if (this.#sent(key) !== undefined || key === 'header') return true;
    return key.startsWith(HEADER_PREFIX) && this.#headerFields().isSent(headerOf(key));
  }

  /** interrupt throws ServiceError `timeout` when the request has ended. */
  interrupt(): void {
    if (performance.now() > this.#until) throw new ServiceError('timeout');
  }

  screen(text: string): boolean {
    return screen(text);
  }

  #sent(key: string): BodyValue | undefined {
    const sent = isReservedKey(key) ? this.#body?.get(key) : this.#parameters.get(key);
    if (this.#declared === undefined || sent === undefined || sent === null) return sent;
    const declared = this.#declared.get(key);
    if (declared === undefined) return sent;
    if (typeof sent === 'string') return declared.list ? [sent] : sent;
    // An array of scalars is JSON too.
    return declared.type === 'json' && !declared.list ? (this.#body?.listText(key) ?? sent) : sent;
  }

  /** The value of a key that is neither a parameter of the request nor in its body. */
  #absent(key: string): FieldValue | undefined {
    if (key.startsWith(HEADER_PREFIX)) return this.#headerFields().get(headerOf(key));
    return this.fallback(key) ?? PARAMETER_DEFAULTS.get(key);
  }

  #headerFields(): HeaderFields {
    return (this.#header ??= new HeaderFields(
      this.#packedHeaders,
      this.#onBlanked,
      this.#declared,
    ));
  }
}

const HEADER_PREFIX = 'header.';

function headerOf(key: string): string {
  return key.slice(HEADER_PREFIX.length);
}

/** isReservedKey tells whether query parameters with this name are ignored. */
export function isReservedKey(key: string): boolean {
  switch (key.charCodeAt(0)) {
    case 0x68:
      return key === 'header' || key.startsWith(HEADER_PREFIX);
    case 0x5f:
      return key === '_param' || key === '_header';
    case 0x62:
      return key.startsWith(BODY_PREFIX);
    case 0x63:
      return key.startsWith('claims.');
    case 0x72:
      return key.startsWith('request.');
    default:
      return false;
  }
}

function checked(parameter: string, value: string): string | Refused {
  return screen(value) ? value : new Refused(parameter);
}
