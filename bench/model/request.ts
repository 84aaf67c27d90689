import type { Connection } from './lanes.js';

/** What sends requests, and gets their responses. */
export interface Client {
  /** answered is called when the HTTP process has written the response. */
  answered(request: Request): void;
}

/** A request on its way through the model. */
export interface Request {
  readonly client: Client;
  /** When the client sent it, µs. */
  readonly sent: number;
  readonly slow: boolean;
  /** Set when PostgreSQL has run its statement: from then on the request is on its way back. */
  hasResult: boolean;
  /** When the statement was ready to be sent, µs. */
  queued: number;
  /** The connection that runs its statement. */
  connection: Connection | undefined;
}

export function newRequest(client: Client, sent: number, slow: boolean): Request {
  return { client, sent, slow, hasResult: false, queued: 0, connection: undefined };
}
