/**
 * The HTTP side of a front end: takes requests, reads them to their end, hands them to the dispatcher and passes the
 * answers of workers on. Refuses ambiguous framing, targets and bodies over their limits, and more requests at a time
 * than configured.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import uWS, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js';
import { ClientAddress } from '../auth/client-address.js';
import { Login, type Attempts } from '../auth/login.js';
import { Passwords } from '../auth/password.js';
import { TokenIssuer } from '../auth/token-issuer.js';
import { TokenVerifier } from '../auth/token-verifier.js';
import type { Logger } from '../log.js';
import { releaseBuffer } from '../native/mailbox.js';
import { DatabaseHealth } from '../pool/database-health.js';
import { QueryPool, type QueryResults } from '../pool/query-pool.js';
import { UsersMigration } from '../pool/users-migration.js';
import type { LibrarySource } from '../plugin/plugins.js';
import type { Connections, FrontEndSettings, LibraryPart, LibraryRefusal } from '../protocol.js';
import { createApp } from './app.js';
import { BodyBudget } from './body-budget.js';
import { BodyReader } from './body-reader.js';
import { Dispatcher, type RequestParts } from './dispatcher.js';
import { ExchangeTable } from './exchange-table.js';
import { Gate } from './gate.js';
import { PLUGINS } from './exchange.js';
import { PluginDoor } from './plugin-door.js';
import { readHead } from './request-head.js';
import { nextRequestId } from './request-id.js';

/** Longest request target: path and query string together (bytes). */
const MAX_TARGET = 65_536;

/** How long idle connections may still bring a request while draining (milliseconds), to be told to close. */
const LINGER = 500;

/** How long workers live on to cancel what the end of draining cut off (milliseconds). */
const CANCELLING = 400;

/** What the supervisor does for all front ends together. */
export interface Supervised {
  /** Counts logins. */
  readonly attempts: Attempts;
  /** Keeps the text of a key set for the front ends after this one. */
  readonly keepKeys: (text: string) => void;
  /** Has the libraries of plugins. */
  readonly libraries: LibrarySource;
}

/** HttpServer serves one listening socket, which it shares with the other front ends. */
export class HttpServer {
  readonly #settings: FrontEndSettings;
  readonly #dispatcher: Dispatcher;
  readonly #bodies: BodyReader;
  readonly #verifier: TokenVerifier | undefined;
  readonly #clients: ClientAddress;
  readonly #pool: QueryPool;
  readonly #health: DatabaseHealth;
  readonly #migration: UsersMigration | undefined;
  readonly #exchanges: ExchangeTable;
  readonly #plugins: PluginDoor;
  readonly #app: TemplatedApp;
  readonly #socket: us_listen_socket;
  #listening = true;
  #connections = 0;

  /**
   * Starts to listen; throws when the address cannot be had, or a key not be used. `workerFile` is the program of the query
   * workers, when it is not the service's own.
   */
  constructor(
    settings: FrontEndSettings,
    log: Logger,
    supervised: Supervised,
    workerFile?: string,
  ) {
    const { worker, threads, timeout, accessLog, auth, queue } = settings;
    this.#settings = settings;
    this.#app = createApp(settings.tls)
      .filter((_res, change) => {
        this.#connections += Number(change);
      })
      .any('/*', (res, req) => this.#handle(res, req));
    this.#socket = this.#listen(settings.port); // first: where it fails nothing else has begun
    const results: QueryResults = {
      answered: this.#answered.bind(this),
      died: this.#died.bind(this),
    };
    this.#pool = new QueryPool(threads, worker, results, log, workerFile);
    const aliases = new Set(worker.databases.map((database) => database.alias));
    this.#health = new DatabaseHealth(aliases, (alias) => this.#pool.probe(alias), log);
    if (settings.migrateUsers && worker.users !== undefined)
      this.#migration = new UsersMigration(worker.users, () => this.#pool.makeUsersTable(), log);
    this.#exchanges = new ExchangeTable({
      capacity: queue,
      timeout,
      accessLog,
      log,
      sending: (bytes) => this.#pool.sending(bytes),
      abandon: (worker, id) => {
        if (worker === PLUGINS) this.#plugins.abandon(id);
        else this.#pool.abandon(worker, id);
      },
    });
    this.#plugins = new PluginDoor(settings, {
      exchanges: this.#exchanges,
      libraries: supervised.libraries,
      log,
    });
    this.#verifier =
      auth && new TokenVerifier(auth.tokens, log, { queue, onKeys: supervised.keepKeys });
    this.#clients = new ClientAddress(settings.trustedProxies);
    const budget = new BodyBudget(settings.maxBody);
    this.#dispatcher = new Dispatcher(settings, {
      exchanges: this.#exchanges,
      pool: this.#pool,
      health: this.#health,
      gate: new Gate(auth, this.#verifier, settings.registry),
      budget,
      plugins: this.#plugins,
      login:
        auth?.login &&
        new Login(auth.login, {
          users: this.#pool,
          attempts: supervised.attempts,
          passwords: new Passwords(),
          tokens: new TokenIssuer(auth.tokens),
          log,
        }),
    });
    this.#bodies = new BodyReader(settings, {
      exchanges: this.#exchanges,
      dispatcher: this.#dispatcher,
      budget,
    });
  }

  /** port is the one it listens on. */
  get port(): number {
    return uWS.us_socket_local_port(this.#socket);
  }

  /** allow sets how many connections each query thread may hold. */
  allow(connections: Connections): void {
    this.#pool.allow(connections);
  }

  /** connections is how many all query threads together hold or may hold; those that are too many go when idle. */
  connections(): Connections {
    return this.#pool.connections();
  }

  /** scriptsChanged has every query thread look at the stored scripts. */
  scriptsChanged(): void {
    this.#pool.scriptsChanged();
  }

  /** libraryArrived takes what the supervisor sends of a plugin's library. */
  libraryArrived(message: LibraryPart | LibraryRefusal): void {
    this.#plugins.arrived(message);
  }

  /** unlisten takes no new connections. */
  unlisten(): void {
    if (this.#listening) uWS.us_listen_socket_close(this.#socket);
    this.#listening = false;
  }

  /**
   * drain takes no new connections, finishes what is in flight within the grace period, closes everything and returns
   * how many requests were cut off.
   */
  async drain(): Promise<number> {
    const exchanges = this.#exchanges;
    this.unlisten();
    exchanges.closing = true;
    const began = performance.now();
    for (;;) {
      const elapsed = performance.now() - began;
      if (exchanges.busy === 0 && (this.#connections === 0 || elapsed >= LINGER)) break;
      if (elapsed >= this.#settings.grace) break;
      await sleep(20);
    }
    const cut = exchanges.close();
    const pluginsClosed = this.#plugins.close();
    this.#health.stop();
    this.#migration?.stop();
    this.#verifier?.close();
    // What was just abandoned still has to reach the workers, which cancel it in the database a little later.
    if (cut > 0) await sleep(CANCELLING);
    this.#app.close();
    await Promise.all([this.#pool.close(), pluginsClosed]);
    return cut;
  }

  #listen(port: number): us_listen_socket {
    const { host } = this.#settings;
    let opened: us_listen_socket | false = false;
    this.#app.listen(host, port, (socket) => {
      opened = socket;
    });
    if (opened === false) throw new Error(`cannot listen on ${host} port ${port}`);
    if (port !== 0) return opened;
    // uWebSockets.js shares only a port that it is given by number: have one picked, and open it anew.
    const picked = uWS.us_socket_local_port(opened);
    uWS.us_listen_socket_close(opened);
    return this.#listen(picked);
  }

  #handle(res: HttpResponse, req: HttpRequest): void {
    const head = readHead(req);
    const { packed, requestId, bodyLength, sound, origin, preflight } = head;
    const exchanges = this.#exchanges;
    const dispatcher = this.#dispatcher;
    const full = exchanges.pending >= this.#settings.queue;
    const exchange = exchanges.open(
      res,
      req.getCaseSensitiveMethod(),
      req.getUrl(),
      req.getQuery() || '', // undefined without a question mark, whatever its type says
      requestId === '' ? nextRequestId() : requestId,
    );
    try {
      exchange.close = bodyLength !== 0; // what is answered before the body was read
      dispatcher.crossOrigin(exchange, origin);
      if (!sound) {
        exchange.close = true;
        exchanges.refuse(exchange, 'invalid_request');
      } else if (exchange.path.length + exchange.query.length > MAX_TARGET)
        exchanges.refuse(exchange, 'uri_too_long');
      else if (full) {
        if (!dispatcher.tellsHealth(exchange)) exchanges.refuse(exchange, 'busy');
      } else if (!preflight || !dispatcher.answersPreflight(exchange, origin)) {
        const logsIn = dispatcher.logsIn(exchange);
        const address = logsIn ? this.#clientOf(res, head.forwardedFor) : '';
        const { authorization, ifMatch, ifNoneMatch } = head;
        const request: RequestParts = {
          headers: packed,
          authorization,
          origin,
          address,
          body: undefined,
          ifMatch,
          ifNoneMatch,
        };
        if (bodyLength === 0) dispatcher.dispatch(exchange, request);
        else this.#bodies.read(exchange, request, bodyLength);
      }
    } catch (error) {
      exchanges.failed(exchange, error);
    }
  }

  #clientOf(res: HttpResponse, forwardedFor: string): string {
    const address = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
    return this.#clients.of(address, forwardedFor);
  }

  /** Passes one answer on. */
  #answered(
    id: number,
    status: number,
    type: number,
    allow: string,
    body: string | ArrayBuffer,
  ): void {
    const exchange = this.#exchanges.waiting(id);
    if (exchange === undefined) {
      if (typeof body !== 'string') releaseBuffer(body);
      return; // too late: timed out or gone
    }
    if (allow !== '') exchange.addHeader('Allow', allow);
    try {
      this.#exchanges.answer(exchange, status, type, body);
    } catch (error) {
      this.#exchanges.failed(exchange, error);
    }
  }

  #died(worker: number, kept: ReadonlySet<number>): void {
    for (const exchange of this.#exchanges.pendingAt(worker)) {
      if (kept.has(exchange.id)) continue;
      exchange.worker = -1;
      this.#exchanges.refuse(exchange, 'worker_lost');
    }
  }
}
