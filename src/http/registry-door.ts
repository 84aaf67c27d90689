/**
 * The registry of scripts, as the front end knows it: who may use it, by which methods, and the way to a worker and back.
 * Refuses everybody but those whom the configuration names, before anything tells what is there.
 */
import type { Caller } from '../auth/caller.js';
import { ServiceError } from '../errors.js';
import { JSON_BODY, NO_BODY, type RegistryAnswer } from '../protocol.js';
import type { DispatcherParts, RequestParts } from './dispatcher.js';
import type { Exchange } from './exchange.js';
import type { RegistryRoute } from './route-table.js';

const OF_ALL = ['GET', 'HEAD', 'POST'];
const OF_ONE = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** RegistryDoor passes requests to the registry on. */
export class RegistryDoor {
  readonly #context: string;
  readonly #parts: Omit<DispatcherParts, 'health' | 'login' | 'plugins'>;

  /** `context` is the prefix of every route. */
  constructor(context: string, parts: Omit<DispatcherParts, 'health' | 'login' | 'plugins'>) {
    this.#context = context;
    this.#parts = parts;
  }

  /** pass has a worker answer a request. Throws ServiceError: `token_missing`, `registration_denied`, `busy`. */
  pass(
    exchange: Exchange,
    { body, ifMatch, ifNoneMatch }: RequestParts,
    { alias, script, registered }: RegistryRoute,
    caller: Caller | undefined,
  ): void {
    const { exchanges, gate, pool, budget } = this.#parts;
    if (caller === undefined) throw new ServiceError('token_missing');
    if (!gate.registers(caller)) throw new ServiceError('registration_denied');
    if (!registered)
      throw new ServiceError('unknown_database', `database not registered: ${alias}`);
    if (!exchanges.isMethod(exchange, script === undefined ? OF_ALL : OF_ONE)) return;
    const { method, query, requestId } = exchange;
    const size = body?.byteLength ?? 0;
    // Once more: the worker has a copy, and has it for as long as it takes, whether or not anybody waits.
    if (!budget.hold(size, true)) throw new ServiceError('busy');
    pool
      .registry({
        method,
        database: alias,
        script,
        query,
        body: body && new Uint8Array(body), // a Buffer may be part of a larger one, all of which would be sent
        ifMatch,
        ifNoneMatch,
        user: caller.name,
        requestId,
      })
      .finally(() => budget.release(size))
      .then((answer) => {
        if (exchanges.waiting(exchange.id) === exchange) this.#answer(exchange, answer);
      })
      .catch((error: unknown) => {
        if (exchanges.waiting(exchange.id) === exchange) exchanges.failed(exchange, error);
      });
  }

  #answer(exchange: Exchange, { status, body, headers }: RegistryAnswer): void {
    for (const [name, value] of headers)
      exchange.addHeader(name, name === 'Location' ? this.#context + value : value);
    this.#parts.exchanges.answer(exchange, status, body === '' ? NO_BODY : JSON_BODY, body);
  }
}
