/**
 * Reads the bodies of requests to their end, before the requests are dispatched. Most bodies are discarded; a route may
 * have them kept (BodyRule), for permitted callers and within a budget. A request whose body is too large or exceeds the
 * budget is rejected at once, and the rest of the body is discarded (lingering.ts).
 */
import type { Caller } from '../../../access/caller.js';
import type { ErrorCode } from '../../../base/errors.js';
import { HTTP } from '../../../observe/metrics/catalogue.js';
import { observeBytes } from '../../../observe/metrics/histogram.js';
import { counts } from '../../../observe/metrics/thread.js';
import { releaseBuffer } from '../../../native/mailbox.js';
import { releaseOnceIdle } from '../../../native/memory.js';
import type { BodyBudget } from './body-budget.js';
import type { Gate } from './gate.js';
import type { HttpRequest } from './http-request.js';
import type { RequestTable } from './request-table.js';
import type { BodyRule, KeepBody, Kept, Route } from './route.js';

/** Who sent a request, as Gate.identify found when its headers had arrived: a token may expire while its body is read. */
export type Identified = Caller | Promise<Caller | undefined> | 'anonymous';

/** Called with a request whose body was read; may throw. `identified` is set where that depended on the caller. */
export type OnBody = (
  request: HttpRequest,
  route: Route,
  identified: Identified | undefined,
) => void;

export class BodyReader {
  readonly requests: RequestTable;
  readonly gate: Gate;
  readonly budget: BodyBudget;
  readonly onBody: OnBody;
  readonly #maxBody: number;

  /** `maxBody` is the largest body of routes without a rule of their own (bytes). */
  constructor(
    maxBody: number,
    requests: RequestTable,
    gate: Gate,
    budget: BodyBudget,
    onBody: OnBody,
  ) {
    this.#maxBody = maxBody;
    this.requests = requests;
    this.gate = gate;
    this.budget = budget;
    this.onBody = onBody;
  }

  /** receive takes the chunks of a body; to be called before its request has a response. */
  receive(request: HttpRequest, announced: number): void {
    const { requests } = this;
    const { response } = request;
    request.unread = true;
    // uWebSockets.js reads chunks differently from others (extensions, bare line feeds): what follows may belong to them.
    response.last = announced < 0;
    response.res.onData((chunk, last) => {
      response.parsing = true;
      try {
        if (last) requests.received(request);
        if (!requests.isPending(request)) requests.discard(request, chunk.byteLength, last);
        else {
          request.takeBody?.(chunk, last);
          if (last) requests.pauseReading(request);
        }
      } catch (error) {
        requests.fail(request, error);
      }
      response.parsing = false;
    });
  }

  /** read reads a body of `announced` bytes, -1 when it is chunked. */
  read(request: HttpRequest, route: Route, announced: number): void {
    const body = new IncomingBody(this, request, route, announced);
    request.takeBody = (chunk, last) => body.take(chunk, last);
    const rule = ruleFor(request, route);
    if (rule === undefined) body.settle(this.#maxBody, false);
    else if (typeof rule.keep === 'boolean') body.settle(rule.limit, rule.keep);
    else {
      const settle = (kept: Kept): void => {
        if (typeof kept !== 'boolean') body.settle(kept.limit, kept.kept);
        else body.settle(kept ? rule.limit : this.#maxBody, kept);
      };
      const kept = body.identify(rule.keep);
      if (!(kept instanceof Promise)) settle(kept);
      else {
        body.keepUntilSettled(rule.most ?? rule.limit);
        this.requests.whenDone(request, kept, settle);
      }
    }
  }
}

function ruleFor({ method }: HttpRequest, { body }: Route): BodyRule | undefined {
  return body?.methods?.includes(method) === false ? undefined : body;
}

/** Size of a body (bytes) after which the memory of garbage is returned. */
const LARGE = 4 << 20;

class IncomingBody {
  readonly #reader: BodyReader;
  readonly #request: HttpRequest;
  readonly #route: Route;
  readonly #announced: number;
  #identified: Identified | undefined;
  #limit = 0;
  /** Undefined while it is discarded. */
  #chunks: Buffer[] | undefined;
  /** Whether it counts in the budget. Bodies kept without identification are short, and do not. */
  #counted = false;
  #reserved = 0;
  #received = 0;
  /** Whether its limit, and whether it is kept, are final. */
  #settled = false;
  #complete = false;
  /** Final once settled. */
  #rejection: ErrorCode | undefined;

  constructor(reader: BodyReader, request: HttpRequest, route: Route, announced: number) {
    this.#reader = reader;
    this.#request = request;
    this.#route = route;
    this.#announced = announced;
    request.ended = () => this.#drop();
  }

  /** identify tells whether the body of the request's caller is kept; after a failure it is not. */
  identify(keep: KeepBody): Kept | Promise<Kept> {
    this.#counted = true;
    const request = this.#request;
    try {
      const caller = this.#identify();
      const kept =
        caller instanceof Promise
          ? caller.then((known) => keep(known, request))
          : keep(caller, request);
      return kept instanceof Promise ? kept.catch(() => false) : kept;
    } catch {
      return false; // the error is the response once the request is dispatched
    }
  }

  /** Identifies the caller once: tokens are counted. Throws as Gate.identify; the dispatcher gets the same error. */
  #identify(): Caller | undefined | Promise<Caller | undefined> {
    const { authorization } = this.#request;
    try {
      const caller = this.#reader.gate.identify(authorization, this.#route.token === 'optional');
      this.#identified = caller ?? 'anonymous';
      return caller;
    } catch (error) {
      const failed = Promise.resolve().then((): never => {
        throw error;
      });
      failed.catch(() => undefined); // the request may end before it is dispatched
      this.#identified = failed;
      throw error;
    }
  }

  /** keepUntilSettled keeps up to `limit` bytes until it is known whether the body is kept. */
  keepUntilSettled(limit: number): void {
    this.#limit = limit;
    this.#chunks = [];
    this.#checkLength(this.#announced);
  }

  /** settle sets the limit (bytes), and whether the body is kept. */
  settle(limit: number, keep: boolean): void {
    if (!this.#reader.requests.isPending(this.#request)) return;
    this.#limit = limit;
    if (!keep) {
      this.#drop();
      this.#rejection = undefined;
    } else if (!this.#settled && this.#received === 0) this.#chunks ??= [];
    this.#settled = true;
    this.#checkLength(Math.max(this.#announced, this.#received));
    if (this.#complete || this.#rejection !== undefined) this.#finish();
  }

  take(chunk: ArrayBuffer, last: boolean): void {
    const { byteLength } = chunk;
    this.#received += byteLength;
    this.#checkLength(this.#received);
    if (this.#chunks !== undefined) {
      if (this.#counted && !this.#reader.budget.reserve(byteLength, this.#settled))
        this.#reject('busy');
      else {
        if (this.#counted) this.#reserved += byteLength;
        this.#chunks.push(Buffer.from(chunk.slice(0))); // uWebSockets.js reuses the chunk
      }
    }
    if (last) observeBytes(counts, HTTP.requestBody, this.#received);
    this.#complete = last;
    if (this.#settled && (last || this.#rejection !== undefined)) this.#finish();
  }

  #checkLength(bytes: number): void {
    if (bytes > this.#limit) this.#reject('body_too_large');
  }

  #reject(code: ErrorCode): void {
    this.#drop();
    this.#rejection ??= code;
  }

  #finish(): void {
    const { requests, onBody } = this.#reader;
    const request = this.#request;
    try {
      if (this.#rejection !== undefined) {
        request.response.last = true;
        requests.reject(request, this.#rejection);
      } else {
        request.body = this.#chunks && joined(this.#chunks);
        request.bodyLimit = this.#limit;
        request.bodyDiscarded = this.#chunks === undefined && this.#received > 0;
        this.#chunks = undefined;
        onBody(request, this.#route, this.#identified);
      }
    } catch (error) {
      requests.fail(request, error);
    }
  }

  #drop(): void {
    if (this.#reserved >= LARGE) releaseOnceIdle();
    this.#reader.budget.release(this.#reserved);
    this.#reserved = 0;
    this.#chunks = undefined;
    this.#request.body = undefined;
  }
}

/** Joins chunks, whose memory is freed now and not at a garbage collection. */
function joined(chunks: readonly Buffer[]): Buffer {
  if (chunks.length === 1) return chunks[0]!;
  const whole = Buffer.concat(chunks);
  for (const { buffer } of chunks) releaseBuffer(buffer as ArrayBuffer);
  return whole;
}
