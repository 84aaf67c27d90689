/** Messages between the supervisor and an HTTP process, over the IPC channel of Node's child processes. */
import type { ProofUpdate } from './proofs.js';
import type { HttpSettings } from './http-settings.js';

/** What login attempts are counted by: a hash of the user name, and an address or its network. */
export interface AttemptKeys {
  /** Undefined when the request has no user name. */
  readonly user: string | undefined;
  readonly address: string;
}

/** How an attempt ended: a login, or the password was not checked. A wrong password is not reported. */
export type AttemptEnd = 'succeeded' | 'unchecked';

export type Connections = Readonly<Record<string, number>>;

/** connectionsOf is the number for an alias, which may be the name of an inherited property such as `constructor`. */
export function connectionsOf(connections: Connections, alias: string): number | undefined {
  return Object.hasOwn(connections, alias) ? connections[alias] : undefined;
}

/** A call of an MCP client that is cancelled: a digest of its caller, and its id as JSON. */
export interface CancelledCall {
  readonly caller: string;
  readonly id: string;
}

/** A part of a plugin library, in order. */
export interface LibraryPart {
  readonly type: 'library-part';
  readonly name: string;
  /** Base64. */
  readonly data: string;
  readonly last: boolean;
}

/** Why a plugin library cannot be sent. */
export interface LibraryRejection {
  readonly type: 'library-rejected';
  readonly name: string;
  /** `missing` also when it is outside the folder. */
  readonly reason: 'missing' | 'unusable';
  /** For the log. */
  readonly detail: string;
}

export interface SpansMessage {
  readonly type: 'spans';
  /** Members of a message ScopeSpans (observe/trace/span.ts), in base64. */
  readonly spans: string;
  readonly count: number;
  /** How many more were dropped. */
  readonly dropped: number;
}

export type SupervisorMessage =
  /** Descriptors of shared memory, undefined where there is none: in which it counts, and that of its workers. */
  | {
      readonly type: 'start';
      readonly settings: HttpSettings;
      readonly metrics: number | undefined;
      readonly shared: number | undefined;
    }
  /** How many connections each query thread may hold from now on. */
  | { readonly type: 'connection-quota'; readonly connections: Connections }
  /** Reply to `login-begin`: 0 when the attempt may be made, otherwise the wait (milliseconds). */
  | { readonly type: 'login-wait'; readonly id: number; readonly wait: number }
  | { readonly type: 'scripts-changed' }
  /** Reply to `scrape`: the metrics, in base64; without a content type they cannot be read. */
  | {
      readonly type: 'scraped';
      readonly id: number;
      readonly contentType: string | undefined;
      readonly body: string;
    }
  /** Before `start`: what is known already. Afterwards: what has changed. */
  | { readonly type: 'proofs'; readonly update: ProofUpdate }
  /** Calls of MCP clients that another HTTP process was asked to cancel. */
  | { readonly type: 'calls-cancelled'; readonly calls: readonly CancelledCall[] }
  | LibraryPart
  | LibraryRejection
  | { readonly type: 'ping' }
  /** Accept no new connections. */
  | { readonly type: 'stop-listening' }
  | { readonly type: 'drain' };

export type HttpProcessMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'pong' }
  /** How many connections all query threads together hold or may hold: never more than reported before. */
  | { readonly type: 'connections'; readonly connections: Connections }
  | { readonly type: 'stopped-listening' }
  /** Asks for the metrics of the service, in the format that an Accept header prefers. */
  | { readonly type: 'scrape'; readonly id: number; readonly accept: string }
  /** A new key set from the URL in the settings: 256 KiB at most. */
  | { readonly type: 'key-set'; readonly text: string }
  /** Asks whether a login may be attempted; the attempt counts as failed until `login-end`. */
  | { readonly type: 'login-begin'; readonly id: number; readonly keys: AttemptKeys }
  | { readonly type: 'login-end'; readonly keys: AttemptKeys; readonly end: AttemptEnd }
  /** What the prover of this process has found, for all HTTP processes: this one too gets it from the supervisor. */
  | { readonly type: 'proofs'; readonly update: ProofUpdate }
  /** Calls of MCP clients to cancel that are not in this process, for all other ones. */
  | { readonly type: 'calls-cancelled'; readonly calls: readonly CancelledCall[] }
  | SpansMessage
  | { readonly type: 'library-request'; readonly name: string }
  /** Whether a library could be loaded. One that no HTTP process could load is read anew at the next request. */
  | { readonly type: 'library-loaded'; readonly name: string; readonly loaded: boolean }
  | { readonly type: 'start-failed'; readonly message: string };
