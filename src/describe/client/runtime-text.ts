/** The part of a client that is the same for all services: options, errors, and the call. */

/** runtimeText is TypeScript; `codes` is the type of the service's own error codes. */
export function runtimeText(codes: string): string {
  return `${OPTIONS}
/** A code of the service, or the SQLSTATE of PostgreSQL. Later versions may have others. */
export type ErrorCode = ${codes === 'unknown' ? 'string' : `${codes} | (string & {})`};
${CALL}`;
}

const OPTIONS = `export interface ClientOptions {
  /** Where the service is, without a slash at the end: https://api.example.com, or '' for the host of the page. */
  readonly baseUrl: string;
  /** A bearer token, or a function that gives one for each call. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Headers of all calls. */
  readonly headers?: HeadersInit | undefined;
  /** Takes the place of the global fetch. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Headers of this call. */
  readonly headers?: HeadersInit | undefined;
  /** Is called with the status and the headers of a response, before its body is read. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

/** A body that is sent as it is. */
export type Bytes = string | Blob | ArrayBuffer | Uint8Array;

/** The argument of a function without parameters. */
export type NoParams = Readonly<Record<string, never>>;

/** A wrong parameter, with what is expected, or the known name that it resembles. */
export interface WrongParameter {
  readonly parameter: string;
  readonly expected?: string;
  readonly nearest?: string;
}
`;

const CALL = String.raw`
/** A response that is not a success, or that is not JSON. What fetch throws is thrown as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** 'invalid_response' when the response is not JSON of the service. */
  readonly code: ErrorCode;
  /** The SQLSTATE of an error of PostgreSQL. */
  readonly sqlState: string | undefined;
  /** The parameter that is the cause. */
  readonly parameter: string | undefined;
  /** All wrong parameters. */
  readonly parameters: readonly WrongParameter[];
  /** The body of the response: JSON, or its text where it is not JSON. */
  readonly details: unknown;
  readonly headers: Headers;

  constructor(response: Response, details: unknown, isJson: boolean) {
    const body: Readonly<Record<string, unknown>> =
      typeof details === 'object' && details !== null ? { ...details } : {};
    const { error, code, parameter, parameters } = body;
    const isKnown = isJson && !response.ok && typeof error === 'string' && typeof code === 'string';
    const { status } = response;
    super(isKnown ? error : 'unexpected response with status ' + status);
    this.status = status;
    this.code = isKnown ? code : 'invalid_response';
    this.sqlState = isKnown && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
    this.parameter = typeof parameter === 'string' ? parameter : undefined;
    this.parameters = Array.isArray(parameters) ? (parameters as WrongParameter[]) : [];
    this.details = details;
    this.headers = response.headers;
  }
}

/** A member of the argument, and the name that it is sent with where that is another one. */
type Name = string | readonly [member: string, name: string];

interface Sent {
  readonly query?: readonly Name[];
  readonly headers?: readonly Name[];
  readonly body?: 'json' | 'text' | 'bytes';
}

type Values = Readonly<Record<string, unknown>>;

type Call = (
  method: string,
  path: string,
  sent?: Sent,
) => (params?: any, options?: CallOptions) => Promise<any>;

const CONTENT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  bytes: 'application/octet-stream',
} as const;

function callsOf(client: ClientOptions): Call {
  const base = client.baseUrl.replace(/\/+$/, '');
  const send = client.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  return (method, path, sent = {}) =>
    async (params: Values = {}, options: CallOptions = {}) => {
      const url = base + pathOf(path, params) + queryOf(sent.query ?? [], params);
      const headers = new Headers(client.headers);
      const token = typeof client.token === 'function' ? await client.token() : client.token;
      if (token !== undefined && token !== '') headers.set('Authorization', 'Bearer ' + token);
      new Headers(options.headers).forEach((value, name) => headers.set(name, value));
      const own = (params['headers'] ?? {}) as Values;
      for (const [member, name] of pairsOf(sent.headers ?? []))
        if (own[member] !== undefined && own[member] !== null)
          headers.set(name, textOf(own[member]));
      headers.set('Accept', 'application/json');
      const init: RequestInit = { method, headers, signal: options.signal ?? null };
      // To follow one would make a GET of a POST.
      if (method !== 'GET') init.redirect = 'error';
      const body = params['body'];
      if (sent.body !== undefined && body !== undefined) {
        const isForm = body instanceof FormData;
        init.body = sent.body === 'json' && !isForm ? JSON.stringify(body) : (body as BodyInit);
        if (isForm) headers.delete('Content-Type');
        else headers.set('Content-Type', CONTENT_TYPES[sent.body]);
      }
      const response = await send(url, init);
      options.onResponse?.(response);
      return read(response);
    };
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.status === 204) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError(response, text, false);
  }
  if (!response.ok) throw new ApiError(response, body, true);
  return body;
}

function pathOf(path: string, params: Values): string {
  return path.replace(/\{([^{}]*)\}/g, (_, member: string) => {
    const value = params[member];
    const text = value === undefined || value === null ? '' : textOf(value);
    // These would lead to another path.
    if (text === '' || text === '.' || text === '..')
      throw new TypeError('the parameter ' + member + ' cannot be ' + JSON.stringify(text));
    return encodeURIComponent(text);
  });
}

function queryOf(names: readonly Name[], params: Values): string {
  const query = new URLSearchParams();
  for (const [member, name] of pairsOf(names))
    for (const value of [params[member]].flat())
      if (value !== undefined && value !== null) query.append(name, textOf(value));
  const text = query.toString();
  return text === '' ? '' : '?' + text;
}

function pairsOf(names: readonly Name[]): (readonly [member: string, name: string])[] {
  return names.map((name) => (typeof name === 'string' ? [name, name] : name));
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
`;
