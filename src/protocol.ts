/**
 * What passes between the processes and threads: settings on the way down, requests and answers across the hop from
 * a front end to a query worker. A leaf: imports nothing. Batches are flat arrays of primitives, because a structured
 * clone of those costs a fraction of one of objects.
 */

/** How one database is reached by one query worker. Times are milliseconds, sizes bytes. */
export interface DatabaseSettings {
  readonly alias: string;
  /** libpq connection string, password included: never logged. */
  readonly conninfo: string;
  /** Where the server listens: a host name or address, or the path of the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
  /** Most connections this worker may hold to it (its share of `pg.maxopenconn`), unless it is told otherwise. */
  readonly connections: number;
  /** Most connections kept open while idle (its share of `pg.maxidleconn`). */
  readonly idleConnections: number;
  /** How long a connection beyond those may be idle. */
  readonly idleTime: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  /** Whether statements may be prepared by name (false behind poolers that cannot). */
  readonly prepared: boolean;
}

/** What a query worker is started with. */
export interface WorkerSettings {
  readonly databases: readonly DatabaseSettings[];
  /** Alias of the database used when the path names none. */
  readonly defaultAlias: string;
  /** Directory of the script folders, absolute. */
  readonly scripts: string;
  readonly aggregate: 'json_agg' | 'jsonb_agg';
  /** Largest result of one statement. */
  readonly maxResult: number;
  /** Most bytes of results at one time: what this worker holds, and its share of what the front end is sending. */
  readonly resultBudget: number;
  /** A request's whole time. */
  readonly timeout: number;
  /** Whether the database's own words are added to error answers. */
  readonly debug: boolean;
  /** Whether messages raised by scripts (P0001, PTnnn) reach the caller. */
  readonly raised: boolean;
  readonly log: LogSettings;
  /** Two Int32: how many workers of this pool died one shortly after the other, and when the last did (s since epoch). */
  readonly deaths: SharedArrayBuffer;
  /** One Int32: KiB of answers that the front end has not sent yet, this worker's share of them. */
  readonly sending: SharedArrayBuffer;
  /** CONNECTION_STRIDE Int32 for each database: how many connections this worker may hold now, and how many it holds. */
  readonly connections: SharedArrayBuffer;
}

export const CONNECTION_STRIDE = 2;

export interface LogSettings {
  /** pino's level names, or `silent`. */
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly pretty: boolean;
}

/** What a front-end process is started with. What its workers share with it, it makes itself. */
export interface FrontEndSettings {
  /** 0 for the first front end. */
  readonly index: number;
  readonly host: string;
  readonly port: number;
  /** Path prefix of every route: empty, or `/` and segments without a trailing slash. */
  readonly context: string;
  /** A request's whole time. */
  readonly timeout: number;
  /** How long requests in flight may take after SIGTERM. */
  readonly grace: number;
  /** Most requests in flight; one more is answered 503. */
  readonly queue: number;
  /** Largest request body that is read (and discarded). */
  readonly maxBody: number;
  readonly threads: number;
  readonly accessLog: boolean;
  /** Aliases that must answer for `/_ready`. */
  readonly ready: readonly string[];
  readonly worker: Omit<WorkerSettings, 'deaths' | 'sending' | 'connections'>;
}

/** A number of connections for each database alias. */
export type Connections = Readonly<Record<string, number>>;

/** Supervisor to front end (process IPC). */
export type SupervisorMessage =
  | { readonly type: 'start'; readonly settings: FrontEndSettings }
  /** How many connections each of its query threads may hold from now on. */
  | { readonly type: 'connections'; readonly connections: Connections }
  /** Take no new connections. */
  | { readonly type: 'unlisten' }
  | { readonly type: 'drain' };

/** Front end to supervisor (process IPC). */
export type FrontEndMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** How many connections all its query threads together hold or may hold: never more than it said last. */
  | { readonly type: 'connections'; readonly connections: Connections }
  | { readonly type: 'unlistened' }
  | { readonly type: 'failed'; readonly message: string };

/** One request on its way to a worker. */
export interface QueryRequest {
  /** The front end's number for it, echoed in the answer. */
  readonly id: number;
  /** As sent, upper case. */
  readonly method: string;
  /** Alias from the path, or the default one. */
  readonly alias: string;
  readonly folder: string;
  readonly name: string;
  /** Raw query string, without the question mark. */
  readonly query: string;
  /** `name\nvalue\nname\nvalue`, names in lower case, in the order sent; no credential headers, Host or Content-Length. */
  readonly headers: string;
  /** X-Request-Id, for the log. */
  readonly requestId: string;
}

/** Requests of one tick, flattened: REQUEST_STRIDE entries each. */
export type Batch = (string | number)[];

export const REQUEST_STRIDE = 8;

/** pushRequest appends one request, given as the members of QueryRequest: this runs for each, so there is no object. */
export function pushRequest(
  batch: Batch,
  id: number,
  method: string,
  alias: string,
  folder: string,
  name: string,
  query: string,
  headers: string,
  requestId: string,
): void {
  batch.push(id, method, alias, folder, name, query, headers, requestId);
}

/** requestAt reads the request that begins at an index of a batch. */
export function requestAt(batch: Batch, i: number): QueryRequest {
  return {
    id: batch[i] as number,
    method: batch[i + 1] as string,
    alias: batch[i + 2] as string,
    folder: batch[i + 3] as string,
    name: batch[i + 4] as string,
    query: batch[i + 5] as string,
    headers: batch[i + 6] as string,
    requestId: batch[i + 7] as string,
  };
}

/** How an answer's body is labelled. */
export const JSON_BODY = 0;
export const XML_BODY = 1;

/** One answer on its way back. */
export interface QueryAnswer {
  readonly id: number;
  readonly status: number;
  /** JSON_BODY or XML_BODY. */
  readonly type: number;
  /** Methods for an Allow header, or empty. */
  readonly allow: string;
  /** Complete, empty for a 204. HEAD gets it too: the front end needs its length. */
  readonly body: string;
}

/** Answers, flattened: ANSWER_STRIDE entries each. */
export type Answers = (string | number)[];

export const ANSWER_STRIDE = 5;

/** pushAnswer appends one answer. */
export function pushAnswer(answers: Answers, a: QueryAnswer): void {
  answers.push(a.id, a.status, a.type, a.allow, a.body);
}

/** answerAt reads the answer that begins at an index. */
export function answerAt(answers: Answers, i: number): QueryAnswer {
  return {
    id: answers[i] as number,
    status: answers[i + 1] as number,
    type: answers[i + 2] as number,
    allow: answers[i + 3] as string,
    body: answers[i + 4] as string,
  };
}

/**
 * A task given to a query worker through piscina. `run` resolves to the answers not sent before: those that are ready
 * earlier than their batch's last one travel as a message of type Answers. `abandon` lists requests nobody waits for.
 */
export type WorkerTask =
  | { readonly type: 'run'; readonly batch: Batch }
  | { readonly type: 'abandon'; readonly ids: readonly number[] }
  /** The numbers in WorkerSettings.connections have changed. */
  | { readonly type: 'connections' }
  | { readonly type: 'probe' };

/** What a `probe` task resolves to: for each alias, why its database did not answer; empty when it did. */
export type ProbeResult = Record<string, string>;
