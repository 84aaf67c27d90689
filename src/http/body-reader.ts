/**
 * Bodies of requests: each is read to its end before anything is done for its request, and kept only when somebody has a
 * use for it. One that is too large is refused, but read on for a moment: most clients look for an answer only when they
 * are done sending.
 */
import type { FrontEndSettings } from '../protocol.js';
import type { Dispatcher, RequestParts } from './dispatcher.js';
import type { Exchange } from './exchange.js';
import type { ExchangeTable } from './exchange-table.js';

/** Largest body of a login (bytes): a short one, for nobody is known yet. */
const LOGIN_BODY = 16_384;

/** How long a body that is too large is still read (milliseconds) before the answer. */
const LINGER = 1_000;

/** BodyReader reads bodies and passes their requests on. */
export class BodyReader {
  readonly #settings: FrontEndSettings;
  readonly #exchanges: ExchangeTable;
  readonly #dispatcher: Dispatcher;

  constructor(settings: FrontEndSettings, exchanges: ExchangeTable, dispatcher: Dispatcher) {
    this.#settings = settings;
    this.#exchanges = exchanges;
    this.#dispatcher = dispatcher;
  }

  /** read reads the body of a request; `announced` is its length, -1 when it is chunked. */
  read(exchange: Exchange, request: RequestParts, announced: number): void {
    const exchanges = this.#exchanges;
    const { maxBody, auth } = this.#settings;
    const logsIn = this.#dispatcher.logsIn(exchange);
    const limit = logsIn ? Math.min(maxBody, LOGIN_BODY) : maxBody;
    const wanted = logsIn && auth?.login?.type === 'body';
    const kept: Buffer[] = [];
    let received = 0;
    let tooLarge: NodeJS.Timeout | undefined;
    const refuse = (): void => {
      clearTimeout(tooLarge);
      if (exchanges.waiting(exchange.id) !== undefined)
        exchanges.refuse(exchange, 'body_too_large');
    };
    if (announced > limit) tooLarge = setTimeout(refuse, LINGER);
    exchange.res.onData((chunk, last) => {
      if (exchanges.waiting(exchange.id) === undefined) return;
      received += chunk.byteLength;
      try {
        if (received > limit) tooLarge ??= setTimeout(refuse, LINGER);
        else if (wanted) kept.push(Buffer.from(chunk.slice(0))); // the chunk is the server's own
        if (!last) return;
        if (tooLarge !== undefined) refuse();
        else {
          exchange.close = false;
          const body = wanted ? Buffer.concat(kept) : undefined;
          this.#dispatcher.dispatch(exchange, { ...request, body });
        }
      } catch (error) {
        exchanges.failed(exchange, error);
      }
    });
  }
}
