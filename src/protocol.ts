/**
 * What passes between the processes and threads: settings on the way down (settings.ts), requests and answers across the
 * hop from a front end to a query worker. A leaf: imports nothing but those settings.
 */
import type { FrontEndSettings } from './settings.js';

export type * from './settings.js';

/** A row of the users table, as a login needs it. */
export interface StoredUser {
  /** 0 where the table has no id; a string where a number would be rounded. */
  readonly id: unknown;
  readonly name: string;
  readonly username: string;
  /** As stored: never logged, and no part of an answer. */
  readonly password: string | null;
  /** Any JSON. */
  readonly metadata: unknown;
}

/** What making the users table came to, when the database did not fail. */
export interface MadeUsersTable {
  readonly made: boolean;
  /** Columns that it does not have and no login works without. */
  readonly needed: readonly string[];
  /** Columns of `auth.metadata` that it does not have. */
  readonly metadata: readonly string[];
}

export const CONNECTION_STRIDE = 2;

/** Whose attempt to log in it is: keys to count by, not names. */
export interface AttemptKeys {
  /** Undefined when the request names nobody. */
  readonly user: string | undefined;
  readonly address: string;
}

/** What became of an attempt: a login, or the password was never checked. Of a wrong password nothing is said. */
export type AttemptEnd = 'succeeded' | 'unchecked';

/** A number of connections for each database alias. */
export type Connections = Readonly<Record<string, number>>;

/** connectionsOf is the number for an alias, which may be the name of what every object has, such as `constructor`. */
export function connectionsOf(connections: Connections, alias: string): number | undefined {
  return Object.hasOwn(connections, alias) ? connections[alias] : undefined;
}

/** A part of a plugin library that a front end asked for: base64, in order. */
export interface LibraryPart {
  readonly type: 'library-part';
  readonly name: string;
  readonly data: string;
  readonly last: boolean;
}

/** Why a front end does not get a plugin library that it asked for. */
export interface LibraryRefusal {
  readonly type: 'library-refused';
  readonly name: string;
  /** `missing` also where it leads out of the folder. */
  readonly reason: 'missing' | 'unusable';
  /** For the log. */
  readonly detail: string;
}

/** Supervisor to front end (process IPC). */
export type SupervisorMessage =
  | { readonly type: 'start'; readonly settings: FrontEndSettings }
  /** How many connections each of its query threads may hold from now on. */
  | { readonly type: 'connections'; readonly connections: Connections }
  /** The attempt of that number may be made (0), or not for so many milliseconds. */
  | { readonly type: 'attempt'; readonly id: number; readonly wait: number }
  /** Stored scripts may have changed. */
  | { readonly type: 'scripts' }
  | LibraryPart
  | LibraryRefusal
  /** Take no new connections. */
  | { readonly type: 'unlisten' }
  | { readonly type: 'drain' };

/** Front end to supervisor (process IPC). */
export type FrontEndMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** How many connections all its query threads together hold or may hold: never more than it said last. */
  | { readonly type: 'connections'; readonly connections: Connections }
  | { readonly type: 'unlistened' }
  /** The text of a key set, another one than before, that came from the URL in its settings: 256 KiB at most. */
  | { readonly type: 'keys'; readonly text: string }
  /** May this attempt to log in be made? Counted as failed until its end is told. */
  | { readonly type: 'attempt'; readonly id: number; readonly keys: AttemptKeys }
  | { readonly type: 'attempted'; readonly keys: AttemptKeys; readonly end: AttemptEnd }
  /** The bytes of a plugin library are wanted. */
  | { readonly type: 'library'; readonly name: string }
  /** They were loaded, or could not be: what nobody could load is read anew when it is asked for again. */
  | { readonly type: 'library-loaded'; readonly name: string; readonly loaded: boolean }
  | { readonly type: 'failed'; readonly message: string };

/** Name, with an empty folder, of a request to `/_mcp`. */
export const MCP = 'mcp';

/** One request on its way to a worker. */
export interface QueryRequest {
  /** The front end's number for it, echoed in the answer. */
  readonly id: number;
  /** As sent, upper case. */
  readonly method: string;
  /** Alias from the path, or the default one. */
  readonly alias: string;
  /** Empty for a listing. */
  readonly folder: string;
  /** Script, or with an empty folder a listing (databases, schemas, tables) or MCP. */
  readonly name: string;
  /** Raw query string, without the question mark; with MCP the message that was sent. */
  readonly query: string;
  /** `name\nvalue\nname\nvalue`, names in lower case, in the order sent; no credential headers, Host or Content-Length. */
  readonly headers: string;
  /** X-Request-Id, for the log. */
  readonly requestId: string;
  /** The database role that its statement runs under; empty for that of the connection. */
  readonly role: string;
  /** The caller's claims as a JSON object; empty when nobody is known, or workers have no use for them. */
  readonly claims: string;
}

/**
 * Requests of one tick, packed one after the other: their numbers as characters below 256, then their texts. One
 * string, because it crosses as a copy of its bytes, while a list of small ones costs more than all else on the way.
 */
export type Batch = string;

/** Characters of a packed request before its texts: the id, and the lengths of nine texts. */
const REQUEST_HEAD = 4 + 9 * 3;

/** packRequest packs one request, given as the members of QueryRequest: this runs for each, so there is no object. */
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
  // prettier-ignore
  const head = String.fromCharCode(
    id >>> 24, (id >>> 16) & 255, (id >>> 8) & 255, id & 255,
    m >>> 16, (m >>> 8) & 255, m & 255, a >>> 16, (a >>> 8) & 255, a & 255,
    f >>> 16, (f >>> 8) & 255, f & 255, n >>> 16, (n >>> 8) & 255, n & 255,
    q >>> 16, (q >>> 8) & 255, q & 255, h >>> 16, (h >>> 8) & 255, h & 255,
    r >>> 16, (r >>> 8) & 255, r & 255, o >>> 16, (o >>> 8) & 255, o & 255,
    c >>> 16, (c >>> 8) & 255, c & 255,
  );
  return head + method + alias + folder + name + query + headers + requestId + role + claims;
}

/** unpackRequests reads the requests of a batch that begins at a place. */
export function unpackRequests(batch: Batch, from = 0): QueryRequest[] {
  const requests: QueryRequest[] = [];
  for (let at = from; at < batch.length;) {
    const id = wideAt(batch, at);
    let end = at + REQUEST_HEAD;
    const method = batch.slice(end, (end += numberAt(batch, at + 4)));
    const alias = batch.slice(end, (end += numberAt(batch, at + 7)));
    const folder = batch.slice(end, (end += numberAt(batch, at + 10)));
    const name = batch.slice(end, (end += numberAt(batch, at + 13)));
    const query = batch.slice(end, (end += numberAt(batch, at + 16)));
    const headers = batch.slice(end, (end += numberAt(batch, at + 19)));
    const requestId = batch.slice(end, (end += numberAt(batch, at + 22)));
    const role = batch.slice(end, (end += numberAt(batch, at + 25)));
    const claims = batch.slice(end, (end += numberAt(batch, at + 28)));
    requests.push({ id, method, alias, folder, name, query, headers, requestId, role, claims });
    at = end;
  }
  return requests;
}

/** requestIds are the ids of the requests of a batch. */
export function requestIds(batch: Batch): number[] {
  return unpackRequests(batch).map(({ id }) => id);
}

/** numberAt is a number of three characters. */
function numberAt(packed: string, at: number): number {
  return (
    (packed.charCodeAt(at) << 16) | (packed.charCodeAt(at + 1) << 8) | packed.charCodeAt(at + 2)
  );
}

/** wideAt is a number of four characters. */
function wideAt(packed: string, at: number): number {
  return (packed.charCodeAt(at) << 24) | numberAt(packed, at + 1);
}

/** How an answer's body is labelled. */
export const JSON_BODY = 0;
export const XML_BODY = 1;
/** There is none. */
export const NO_BODY = 2;

/**
 * Answers, packed one after the other as requests are: id, status, type and lengths, then Allow and the body. A body
 * marked as APART is not among them: it is the next of those that travel beside.
 */
export type Answers = string;

/** Characters of a packed answer before its texts. */
const ANSWER_HEAD = 4 + 2 + 1 + 1 + 4;

/** Added to the type of an answer whose body travels apart. */
export const APART = 4;

/**
 * packAnswer packs one answer: `type` says how the body is labelled, `allow` has methods for an Allow header or is
 * empty, and `body` is complete (empty for a 204; HEAD gets it too, since the front end needs its length).
 */
export function packAnswer(
  id: number,
  status: number,
  type: number,
  allow: string,
  body: string,
): Answers {
  const { length } = body;
  // prettier-ignore
  const head = String.fromCharCode(
    id >>> 24, (id >>> 16) & 255, (id >>> 8) & 255, id & 255,
    status >>> 8, status & 255, type, allow.length,
    length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255,
  );
  return head + allow + body;
}

/** Takes one answer, as packAnswer got it. */
export type TakeAnswer = (
  id: number,
  status: number,
  type: number,
  allow: string,
  body: string | ArrayBuffer,
) => void;

/** unpackAnswers gives each answer to `take`; returns how many there were. */
export function unpackAnswers(
  answers: Answers,
  bodies: readonly ArrayBuffer[] | undefined,
  take: TakeAnswer,
): number {
  let count = 0;
  let apart = 0;
  for (let at = 0; at < answers.length; count++) {
    const id = wideAt(answers, at);
    const status = (answers.charCodeAt(at + 4) << 8) | answers.charCodeAt(at + 5);
    const type = answers.charCodeAt(at + 6);
    let end = at + ANSWER_HEAD;
    const allow = answers.slice(end, (end += answers.charCodeAt(at + 7)));
    const body = answers.slice(end, (end += wideAt(answers, at + 8)));
    at = end;
    if (type < APART) take(id, status, type, allow, body);
    else take(id, status, type - APART, allow, bodies![apart++]!);
  }
  return count;
}

/** What a front end posts to a query worker: a batch to run, or the ids (four characters each) of requests to abandon. */
export const RUN = 'r';
export const ABANDON = 'a';

/** packId is the id of a request nobody waits for any more. */
export function packId(id: number): string {
  return String.fromCharCode(id >>> 24, (id >>> 16) & 255, (id >>> 8) & 255, id & 255);
}

/** unpackIds reads ids from a place on. */
export function unpackIds(packed: string, from: number): number[] {
  const ids: number[] = [];
  for (let at = from; at < packed.length; at += 4) ids.push(wideAt(packed, at));
  return ids;
}

/**
 * A task given to a query worker through piscina. `serve` names the mailbox that answers go to and resolves to the one
 * that takes requests from then on: what is wanted for each request goes from mailbox to mailbox.
 */
export type WorkerTask =
  | { readonly type: 'serve'; readonly address: number }
  /** The numbers in WorkerSettings.connections have changed. */
  | { readonly type: 'connections' }
  /** Whether a database answers: resolves to the reason why not, empty when it does; within a few seconds. */
  | { readonly type: 'probe'; readonly alias: string }
  /** Look a user up: resolves to a TaskResult<StoredUser | null>, null when there is none. */
  | { readonly type: 'user'; readonly username: string }
  /** Store a new hash in the place of an old one, unless that is not there any more: a TaskResult<null>. */
  | {
      readonly type: 'renew';
      readonly username: string;
      readonly from: string;
      readonly to: string;
    }
  /** Make the users table unless it is there: a TaskResult<MadeUsersTable>. */
  | { readonly type: 'migrate-users' }
  /** Stored scripts may have changed: look. */
  | { readonly type: 'scripts' }
  /** A request to the registry of scripts: resolves to a RegistryAnswer, whatever comes of it. */
  | { readonly type: 'registry'; readonly request: RegistryRequest };

/** What becomes of JSON that XML is wanted of; text nested too deeply counts as no JSON. */
export type XmlOutcome = { readonly xml: string } | 'no_json' | 'too_large';

/** A request to the registry of scripts, by somebody who may use it. */
export interface RegistryRequest {
  /** As sent, upper case. */
  readonly method: string;
  /** Alias from the path; undefined where that names none. */
  readonly database: string | undefined;
  /** Undefined when the path names no script. */
  readonly script: { readonly location: string; readonly name: string } | undefined;
  /** Raw query string, without the question mark. */
  readonly query: string;
  /** Undefined for a method that has none. */
  readonly body: Uint8Array | undefined;
  /** Values of If-Match and If-None-Match, empty when they are not there. */
  readonly ifMatch: string;
  readonly ifNoneMatch: string;
  /** Who sent it: the caller's name. */
  readonly user: string;
  readonly requestId: string;
}

/** The answer to a request to the registry. */
export interface RegistryAnswer {
  readonly status: number;
  /** JSON; empty for 204 and 304. */
  readonly body: string;
  /** More headers of the answer: ETag, Allow, Location (without `context`). */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What a task about users resolves to. An error would lose what it is on its way. */
export type TaskResult<T> = { readonly value: T } | { readonly failure: TaskFailure };

/** Why a task failed in the database. */
export interface TaskFailure {
  /** For the log: no values in it. */
  readonly reason: string;
  /** Whether the database is away, or refuses for now: it may be tried again. */
  readonly passing: boolean;
}
