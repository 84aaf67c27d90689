/**
 * Messages from an HTTP process to a query worker, each one string in a mailbox: requests and the ids of abandoned
 * requests. Responses travel in a ring (native/response-ring.ts).
 */

/** Methods of scripts that may have a body; those of others are discarded. */
export const BODY_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** What every request to a worker has. */
interface AnyRequest {
  /** The HTTP process's number for the request, repeated in the response. */
  readonly id: number;
  /** As sent, in upper case. */
  readonly method: string;
  /** `name\nvalue\nname\nvalue`, names in lower case, in the order sent; no credential headers, Host or Content-Length. */
  readonly headers: string;
  /** X-Request-Id, for the log. */
  readonly requestId: string;
  /** The database role that its statement runs under; empty for the role of the connection. */
  readonly role: string;
  /** The caller's claims as a JSON object; empty for anonymous callers, and when workers do not need them. */
  readonly claims: string;
  /** Whether its spans are kept. */
  readonly traced: boolean;
}

/** A call of a script, which is only rendered for its `sql`. */
export interface ScriptRequest extends AnyRequest {
  readonly kind: 'script' | 'sql';
  /** Alias from the path, or the default one. */
  readonly alias: string;
  readonly folder: string;
  readonly name: string;
  /** Raw query string, without the question mark. */
  readonly query: string;
  /** Whether it came by a path that the script declares. */
  readonly declared: boolean;
  /** Its body, one character a byte, or its bytes; undefined when it has none, null when it was discarded. */
  readonly body?: string | Buffer | null | undefined;
}

/** A request for a listing of the default database. */
export interface ListingRequest extends AnyRequest {
  readonly kind: 'listing';
  readonly alias: string;
  /** The caller's name; empty for a caller without one. */
  readonly user: string;
  /** Databases, schemas or tables. */
  readonly name: string;
  /** Raw query string, without the question mark. */
  readonly query: string;
}

export interface McpRequest extends AnyRequest {
  readonly kind: 'mcp';
  /** The caller's name; empty for a caller without one. */
  readonly user: string;
  /** The form of tool names; empty for the configured one. */
  readonly form: string;
  readonly message: string;
}

export type WorkerRequest = ScriptRequest | ListingRequest | McpRequest;

/**
 * The requests of one tick, packed one after the other: numbers as characters below 256, then the texts. One string,
 * because a string is copied byte by byte between threads, while a list of small ones costs more than all else on the way.
 */
export type Batch = string;

/** Characters of a packed request before its texts: the id, and the lengths of nine texts. */
const REQUEST_HEAD = 4 + 9 * 3;

/**
 * What the first bits of the method's length, which is short, say: two of a body, one of the spans, one of the path, two of
 * the kind of the request.
 */
const BODILESS = 0;
/** The body follows the texts, after its length of four characters. */
const WITH_BODY = 0x40;
const BODY_DISCARDED = 0x80;
/** The body is the next one beside the message. */
const BODY_BESIDE = 0xc0;
const TRACED = 0x20;
const DECLARED = 0x10;
export const SCRIPT = 0;
export const SQL = 0x04;
export const LISTING = 0x08;
const MCP = 0x0c;
const METHOD_LENGTH = 0x03_ffff;

/**
 * packRequest packs one request, by default of a script. Its members are arguments, so that the hot path needs no object.
 * In a listing, `folder` is the caller's name.
 */
export function packRequest(
  id: number,
  method: string,
  alias: string,
  folder: string,
  name: string,
  query: string,
  headers: string,
  requestId: string,
  role: string,
  claims: string,
  body?: string | Buffer | null,
  traced = false,
  declared = false,
  kind = SCRIPT,
): Batch {
  const { length: m } = method;
  const { length: a } = alias;
  const { length: f } = folder;
  const { length: n } = name;
  const { length: q } = query;
  const { length: h } = headers;
  const { length: r } = requestId;
  const { length: o } = role;
  const { length: c } = claims;
  const about =
    (body === undefined ? BODILESS : body === null ? BODY_DISCARDED : kindOf(body)) |
    (traced ? TRACED : 0) |
    (declared ? DECLARED : 0) |
    kind;
  // prettier-ignore
  const head = String.fromCharCode(
    id >>> 24, (id >>> 16) & 255, (id >>> 8) & 255, id & 255,
    about | (m >>> 16), (m >>> 8) & 255, m & 255, a >>> 16, (a >>> 8) & 255, a & 255,
    f >>> 16, (f >>> 8) & 255, f & 255, n >>> 16, (n >>> 8) & 255, n & 255,
    q >>> 16, (q >>> 8) & 255, q & 255, h >>> 16, (h >>> 8) & 255, h & 255,
    r >>> 16, (r >>> 8) & 255, r & 255, o >>> 16, (o >>> 8) & 255, o & 255,
    c >>> 16, (c >>> 8) & 255, c & 255,
  );
  const packed =
    head + method + alias + folder + name + query + headers + requestId + role + claims;
  return typeof body === 'string' ? packed + packId(body.length) + body : packed;
}

export function packMcpRequest(request: Omit<McpRequest, 'kind'>): Batch {
  const { id, method, form, user, message, headers, requestId, role, claims, traced } = request;
  // prettier-ignore
  return packRequest(id, method, form, user, '', message, headers, requestId, role, claims, undefined, traced, false, MCP);
}

function kindOf(body: string | Buffer): number {
  return typeof body === 'string' ? WITH_BODY : BODY_BESIDE;
}

/** unpackRequests reads the requests of a batch that begins at `from`; `bodies` came beside it. */
export function unpackRequests(
  batch: Batch,
  from = 0,
  bodies: readonly ArrayBuffer[] = [],
): WorkerRequest[] {
  const requests: WorkerRequest[] = [];
  let beside = 0;
  for (let at = from; at < batch.length;) {
    const id = wideAt(batch, at);
    let end = at + REQUEST_HEAD;
    const method = batch.slice(end, (end += numberAt(batch, at + 4) & METHOD_LENGTH));
    const alias = batch.slice(end, (end += numberAt(batch, at + 7)));
    const folder = batch.slice(end, (end += numberAt(batch, at + 10)));
    const name = batch.slice(end, (end += numberAt(batch, at + 13)));
    const query = batch.slice(end, (end += numberAt(batch, at + 16)));
    const headers = batch.slice(end, (end += numberAt(batch, at + 19)));
    const requestId = batch.slice(end, (end += numberAt(batch, at + 22)));
    const role = batch.slice(end, (end += numberAt(batch, at + 25)));
    const claims = batch.slice(end, (end += numberAt(batch, at + 28)));
    const about = batch.charCodeAt(at + 4);
    let body: ScriptRequest['body'] = (about & BODY_DISCARDED) === 0 ? undefined : null;
    if ((about & BODY_BESIDE) === BODY_BESIDE) body = Buffer.from(bodies[beside++] ?? EMPTY);
    else if ((about & WITH_BODY) !== 0) {
      const length = wideAt(batch, end);
      body = batch.slice((end += 4), (end += length));
    }
    const traced = (about & TRACED) !== 0;
    const declared = (about & DECLARED) !== 0;
    const kind = about & MCP;
    // prettier-ignore
    if (kind === MCP)
      requests.push({ kind: 'mcp', id, method, form: alias, user: folder, message: query, headers, requestId, role, claims, traced });
    else if (kind === LISTING)
      requests.push({ kind: 'listing', id, method, alias, user: folder, name, query, headers, requestId, role, claims, traced });
    else
      requests.push({ kind: kind === SQL ? 'sql' : 'script', id, method, alias, folder, name, query, headers, requestId, role, claims, traced, declared, body });
    at = end;
  }
  return requests;
}

const EMPTY = new ArrayBuffer(0);

export function requestIds(batch: Batch): number[] {
  return unpackRequests(batch).map(({ id }) => id);
}

/** A number of three characters. */
function numberAt(packed: string, at: number): number {
  return (
    (packed.charCodeAt(at) << 16) | (packed.charCodeAt(at + 1) << 8) | packed.charCodeAt(at + 2)
  );
}

/** A number of four characters. */
function wideAt(packed: string, at: number): number {
  return (packed.charCodeAt(at) << 24) | numberAt(packed, at + 1);
}

/** Types of a response's body. */
export const JSON_BODY = 0;
export const XML_BODY = 1;
export const NO_BODY = 2;
/** Plain text; 3 is TYPED of src/http. */
export const TEXT_BODY = 4;

/** Added to the type of a response without Retry-After: its request must not simply be repeated. */
export const FINAL = 8;

/**
 * First character of a message to a query worker: a batch to run, the ids of requests to abandon, or (all of the message)
 * that the response ring has room again.
 */
export const RUN = 'r';
export const ABANDON = 'a';
export const ROOM = 'f';

export function packId(id: number): string {
  return String.fromCharCode(id >>> 24, (id >>> 16) & 255, (id >>> 8) & 255, id & 255);
}

/** unpackIds reads ids that begin at `from`. */
export function unpackIds(packed: string, from: number): number[] {
  const ids: number[] = [];
  for (let at = from; at < packed.length; at += 4) ids.push(wideAt(packed, at));
  return ids;
}
