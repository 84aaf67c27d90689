/**
 * `notifications/cancelled` of MCP: ends the call in flight that the notification names, if it is one of the same caller.
 * Ids are chosen by clients, so the id alone never decides; where several calls of a caller have the same id, none is
 * ended. The call may be in another HTTP process: notifications that match nothing here are passed on to the others.
 */
import { createHash } from 'node:crypto';
import { fieldValue } from '../../../base/headers.js';
import type { CancelledCall } from '../../../messages/ipc.js';
import { isObject } from '../../../base/json.js';
import type { ConcurrencyLimit, HttpRequest } from '../transport/http-request.js';
import type { RequestTable } from '../transport/request-table.js';

const METHOD = 'notifications/cancelled';

/** Longest notification (characters), and what is in the text of each: JSON may write a backslash before it. */
const LONGEST = 4_096;
const PART = '/cancelled';

/** Longest call that a notification can end (bytes), because its id has to be parsed; any call ends with its connection. */
const LONGEST_CALL = 64 << 10;

/** Most notifications passed on to the other HTTP processes in a turn; the calls of others run on. */
const MOST_PASSED = 100;

/** Code of the error that ends the call's own request, as in the Language Server Protocol; clients ignore it. */
const CANCELLED = -32_800;

export class McpCancellation {
  readonly #requests: RequestTable;
  /** The limit that all MCP requests count in. */
  readonly #limit: ConcurrencyLimit;
  readonly #pass: (calls: readonly CancelledCall[]) => void;
  /** The ids of calls in flight, as JSON; undefined for what has none. Each body is parsed once, at most. */
  readonly #ids = new WeakMap<HttpRequest, { readonly id: string | undefined }>();
  #passing: CancelledCall[] = [];

  /** `pass` passes notifications on to the other HTTP processes. */
  constructor(
    requests: RequestTable,
    limit: ConcurrencyLimit,
    pass: (calls: readonly CancelledCall[]) => void,
  ) {
    this.#requests = requests;
    this.#limit = limit;
    this.#pass = pass;
  }

  /** received ends the call that a message cancels, if it does so; it may be any message. */
  received(request: HttpRequest, message: string): void {
    if (message.length > LONGEST || !message.includes(PART)) return;
    const id = cancelledId(message);
    if (id === undefined) return;
    const call = { caller: callerOf(request), id };
    if (this.#matching(call).length === 0) this.#passOn(call);
    else this.cancel(call);
  }

  /** cancel ends the call in this process, if exactly one matches. */
  cancel(call: CancelledCall): void {
    const [request, ...others] = this.#matching(call);
    if (request === undefined || others.length > 0) return;
    const error = { code: CANCELLED, message: 'cancelled by its client' };
    this.#requests.cancel(
      request,
      `{"jsonrpc":"2.0","id":${call.id},"error":${JSON.stringify(error)}}`,
    );
  }

  #matching({ caller, id }: CancelledCall): HttpRequest[] {
    return this.#requests.select(
      (one) =>
        one.concurrencyLimit === this.#limit && this.#idOf(one) === id && callerOf(one) === caller,
    );
  }

  #idOf(request: HttpRequest): string | undefined {
    let known = this.#ids.get(request);
    if (known === undefined) this.#ids.set(request, (known = { id: requestId(request.body) }));
    return known.id;
  }

  #passOn(call: CancelledCall): void {
    if (this.#passing.length === MOST_PASSED || this.#passing.push(call) > 1) return;
    setImmediate(() => {
      const calls = this.#passing;
      this.#passing = [];
      this.#pass(calls);
    });
  }
}

/** The id of the request that a notification cancels; undefined for any other message. */
function cancelledId(message: string): string | undefined {
  const value = objectOf(message);
  if (value?.['method'] !== METHOD || 'id' in value) return undefined;
  const { params } = value;
  return isObject(params) ? idText(params['requestId']) : undefined;
}

function requestId(body: Buffer | undefined): string | undefined {
  if (body === undefined || body.length > LONGEST_CALL) return undefined;
  const value = objectOf(body.toString());
  return value && idText(value['id']);
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An id as JSON; undefined for one that JSON.parse may have rounded, which would match others. */
function idText(id: unknown): string | undefined {
  const exact = typeof id === 'string' || Number.isSafeInteger(id);
  return exact ? JSON.stringify(id) : undefined;
}

/**
 * Who sent a request: the name in the token, the token itself if it has no name, or without a token the address; of these
 * the session, and the program, of which a user may run several that count their ids alike.
 */
function callerOf({ user, authorization, forwardedFor, headers, response }: HttpRequest): string {
  const program = [fieldValue(headers, 'mcp-session-id'), fieldValue(headers, 'user-agent')];
  let who = ['user', user];
  if (user === '') {
    who = ['token', authorization];
    if (authorization === '') {
      const address = Buffer.from(response.res.getRemoteAddress()).toString('hex');
      who = ['address', address, forwardedFor];
    }
  }
  // It crosses processes, and may hold a token.
  return createHash('sha256')
    .update(JSON.stringify([who, program]))
    .digest('base64');
}
