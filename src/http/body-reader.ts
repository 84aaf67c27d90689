/**
 * Bodies of requests: each is read to its end before anything is done for its request, and kept only when somebody has a
 * use for it: those of logins, and those that the registry of scripts or a plugin gets from who may use them. One that
 * is too large, or for which there is no room, is refused, but read on for a moment: most clients look for an answer only when they are
 * done sending.
 */
import type { ErrorCode } from '../errors.js';
import type { FrontEndSettings } from '../protocol.js';
import type { BodyBudget } from './body-budget.js';
import type { BodyUse, Dispatcher, RequestParts } from './dispatcher.js';
import type { Exchange } from './exchange.js';
import type { ExchangeTable } from './exchange-table.js';

/** Largest body of a login (bytes): a short one, for nobody is known yet. */
const LOGIN_BODY = 16_384;

/** How long a body that is refused is still read (milliseconds) before the answer. */
const LINGER = 1_000;

/** What a reader works with. */
export interface BodyReaderParts {
  readonly exchanges: ExchangeTable;
  readonly dispatcher: Dispatcher;
  readonly budget: BodyBudget;
}

/** BodyReader reads bodies and passes their requests on. */
export class BodyReader {
  readonly #settings: FrontEndSettings;
  readonly #parts: BodyReaderParts;

  constructor(settings: FrontEndSettings, parts: BodyReaderParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** read reads the body of a request; `announced` is its length, -1 when it is chunked. */
  read(exchange: Exchange, request: RequestParts, announced: number): void {
    const { dispatcher, exchanges } = this.#parts;
    const { maxBody, auth } = this.#settings;
    const body = new IncomingBody(this.#parts, exchange, request, announced);
    if (dispatcher.logsIn(exchange)) {
      body.counted = false; // there are never more of these short ones than requests in flight
      body.expect(Math.min(maxBody, LOGIN_BODY), auth?.login?.type === 'body');
    } else {
      const use = dispatcher.useOfBody(exchange);
      if (use === undefined) body.expect(maxBody, false);
      else {
        const expect = (kept: boolean): void => body.expect(kept ? use.limit : maxBody, kept);
        const allowed = body.identify(use);
        if (!(allowed instanceof Promise)) expect(allowed);
        else {
          body.expectUnknown(use.limit);
          void allowed.then(expect);
        }
      }
    }
    exchange.res.onData((chunk, last) => {
      if (exchanges.waiting(exchange.id) === exchange) body.take(chunk, last);
    });
  }
}

/** IncomingBody is one body. */
class IncomingBody {
  /** Whether what is kept counts in the budget. */
  counted = true;
  readonly #parts: BodyReaderParts;
  readonly #exchange: Exchange;
  readonly #announced: number;
  #request: RequestParts;
  #limit = 0;
  /** Undefined when it is not kept, or no longer. */
  #kept: Buffer[] | undefined;
  #held = 0;
  #received = 0;
  /** Whether it is settled what becomes of it. */
  #settled = false;
  #complete = false;
  #refusal: ErrorCode | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    parts: BodyReaderParts,
    exchange: Exchange,
    request: RequestParts,
    announced: number,
  ) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.#request = request;
    this.#announced = announced;
    exchange.ended = () => this.#end();
  }

  /** identify tells whether it comes from somebody who may have it put to a use. */
  identify(use: BodyUse): boolean | Promise<boolean> {
    const { dispatcher } = this.#parts;
    try {
      const caller = dispatcher.identify(this.#request, use);
      if (!(caller instanceof Promise)) return use.allows(caller);
      this.#request = { ...this.#request, identified: caller };
      return caller.then(
        (known) => use.allows(known),
        () => false,
      );
    } catch {
      return false; // he is told when his request is dispatched
    }
  }

  /** expectUnknown has it kept until it is known what becomes of it. */
  expectUnknown(limit: number): void {
    this.#limit = limit;
    this.#kept = [];
    this.#measure(this.#announced);
  }

  /** expect settles how long it may be (bytes), and whether it is kept. */
  expect(limit: number, keep: boolean): void {
    if (this.#parts.exchanges.waiting(this.#exchange.id) !== this.#exchange) return;
    this.#limit = limit;
    if (!keep) {
      this.#drop();
      this.#refusal = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else if (!this.#settled && this.#received === 0) this.#kept ??= [];
    this.#settled = true;
    this.#measure(Math.max(this.#announced, this.#received));
    if (this.#complete) this.#finish();
  }

  /** take takes a part of it. */
  take(chunk: ArrayBuffer, last: boolean): void {
    const { budget } = this.#parts;
    const { byteLength } = chunk;
    this.#received += byteLength;
    this.#measure(this.#received);
    if (this.#kept !== undefined) {
      if (this.counted && !budget.hold(byteLength, this.#settled)) this.#refuse('busy');
      else {
        if (this.counted) this.#held += byteLength;
        this.#kept.push(Buffer.from(chunk.slice(0))); // the chunk is the server's own
      }
    }
    this.#complete = last;
    if (last && this.#settled) this.#finish();
  }

  #measure(bytes: number): void {
    if (bytes > this.#limit) this.#refuse('body_too_large');
  }

  #refuse(code: ErrorCode): void {
    this.#drop();
    this.#refusal ??= code;
    this.#timer ??= setTimeout(() => this.#finish(), LINGER);
  }

  #finish(): void {
    const { exchanges, dispatcher } = this.#parts;
    const exchange = this.#exchange;
    try {
      if (this.#refusal !== undefined) exchanges.refuse(exchange, this.#refusal);
      else {
        exchange.close = false;
        const body = this.#kept && Buffer.concat(this.#kept);
        this.#kept = undefined;
        dispatcher.dispatch(exchange, { ...this.#request, body });
      }
    } catch (error) {
      exchanges.failed(exchange, error);
    }
  }

  #drop(): void {
    this.#parts.budget.release(this.#held);
    this.#held = 0;
    this.#kept = undefined;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#drop();
  }
}
