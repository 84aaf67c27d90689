/**
 * The HTTP server of an HTTP process: puts its parts together, listens once the databases have been probed, passes the
 * responses of workers to clients, and drains.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import uWS, { type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import type { Attempts } from '../../access/logins/login.js';
import { TokenVerifier } from '../../access/tokens/token-verifier.js';
import type { OnResponse } from '../../native/response-ring.js';
import type { Logger } from '../../observe/log.js';
import type { ProcessPlaces } from '../../observe/metrics/places.js';
import { HTTP, LOG_DROPPED, PLUGIN } from '../../observe/metrics/catalogue.js';
import { onSample } from '../../observe/metrics/sampler.js';
import { counts } from '../../observe/metrics/thread.js';
import { droppedLogLines } from '../../native/log-writer.js';
import { releaseBuffer } from '../../native/mailbox.js';
import type { LibrarySource } from '../plugin/plugins.js';
import { DatabaseHealth } from '../pool/database-health.js';
import { ProverThread } from '../pool/prover-thread.js';
import { QueryPool } from '../pool/query-pool.js';
import { UsersMigration } from '../pool/users-migration.js';
import type { CancelledCall, Connections } from '../../messages/ipc.js';
import type { ProofCache } from '../../messages/proof-cache.js';
import type { ProofUpdate } from '../../messages/proofs.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import { RateLimit } from '../../observe/trace/rate-limit.js';
import { createApp } from './transport/app.js';
import { BodyBudget } from './transport/body-budget.js';
import { Dispatcher } from './dispatcher.js';
import { Gate } from './transport/gate.js';
import { PLUGINS, type HttpRequest } from './transport/http-request.js';
import { McpHandler } from './routes/mcp-handler.js';
import { PluginHandler } from './routes/plugin-handler.js';
import { ProofCounts } from './routes/proof-counts.js';
import { ResourceMetadata } from './routes/resource-metadata.js';
import { RequestSpans } from './transport/request-spans.js';
import { RequestTable } from './transport/request-table.js';
import { routeTable } from './route-sources.js';
import { mostConnections } from './transport/most-connections.js';
import { reportDatabases, reportScripts } from './start-report.js';
import type { SendSpans } from './transport/span-batcher.js';
import type { SupervisedScrapes } from './transport/supervised.js';

/** How long draining waits for idle connections, which the response to their next request closes (milliseconds). */
const LINGER = 500;

/** How long workers run on to cancel the statements of requests that were cut off (milliseconds). */
const CANCELLING = 400;

/** How long the last spans may take on their way to the supervisor (milliseconds). */
const SENDING_SPANS = 500;

export interface Supervised {
  readonly attempts: Attempts;
  /** Keeps the text of a key set for HTTP processes started later. */
  readonly keepKeys: (text: string) => void;
  readonly libraries: LibrarySource;
  /** Where the threads of this process count; undefined where nothing is counted. */
  readonly metrics?: ProcessPlaces | undefined;
  /** WorkerSettings.shared. */
  readonly shared?: number | undefined;
  readonly scrapes: Pick<SupervisedScrapes, 'request'>;
  /** The proofs of the scripts that are known as this process starts. */
  readonly proofs: ProofCache;
  /** Passes cancelled calls of MCP clients on to the other HTTP processes, which get them with HttpServer.cancelCalls. */
  readonly passCancelled: (calls: readonly CancelledCall[]) => void;
  /** Reports what the prover of this process has found; all HTTP processes then get it with HttpServer.proved. */
  readonly report: (update: ProofUpdate) => void;
  readonly sendSpans: SendSpans;
}

export class HttpServer {
  readonly pool: QueryPool;
  readonly plugins: PluginHandler;
  readonly #mcp: McpHandler | undefined;
  readonly #settings: HttpSettings;
  readonly #verifier: TokenVerifier | undefined;
  readonly #health: DatabaseHealth;
  /** Undefined where nothing is proved. */
  readonly #prover: ProverThread | undefined;
  readonly #migration: UsersMigration | undefined;
  readonly #requests: RequestTable;
  /** Undefined where nothing is traced. */
  readonly #spans: RequestSpans | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #app: TemplatedApp;
  /** Undefined until it listens. */
  #socket: us_listen_socket | undefined;
  /** Whether it accepts connections, or will. */
  #accepting = true;
  #connections = 0;
  #mostConnections = Infinity;
  readonly #refusals = new RateLimit(1);
  readonly #log: Logger;
  readonly #proofCounts: ProofCounts;
  readonly #endSamples: () => void;

  /**
   * Starts the query workers and the probes of the databases. Throws when a key is unusable. `workerFile` is the program of
   * the query workers, by default the service's own.
   */
  constructor(settings: HttpSettings, log: Logger, supervised: Supervised, workerFile?: string) {
    const { worker, threads, timeout, accessLog, auth, queue, trace } = settings;
    this.#settings = settings;
    this.#log = log;
    this.#app = createApp(settings.tls)
      .filter((res, change) => {
        this.#connections += Number(change);
        if (Number(change) > 0) this.#connected(res);
      })
      .any('/*', (res, req) => this.#dispatcher.handle(res, req));
    const seed = randomBytes(16).toString('hex');
    this.#spans = trace && new RequestSpans(trace, seed, settings, supervised.sendSpans);
    const reported = (text: string): void => this.#requests.reported(text);
    const results = { answered: this.#answered, died: this.#died, reported };
    this.pool = new QueryPool({
      ...supervised,
      threads,
      worker,
      results,
      log,
      filename: workerFile,
      trace: trace && { seed, slow: trace.slow, applicationName: trace.applicationName },
    });
    this.#proofCounts = new ProofCounts(this.pool.proofs);
    const aliases = new Set(worker.databases.map(({ alias }) => alias));
    this.#health = new DatabaseHealth(aliases, (alias) => this.pool.ask('probe', alias), log);
    if (settings.migrateUsers && worker.users !== undefined)
      this.#migration = new UsersMigration(
        worker.users,
        () => this.pool.ask('makeUsersTable'),
        log,
      );
    this.#requests = new RequestTable({
      capacity: queue,
      timeout,
      accessLog,
      log,
      spans: this.#spans,
      sending: (bytes, ofPlugins) => {
        if (ofPlugins) this.plugins.sending = bytes;
        else this.pool.sending(bytes);
      },
      abandon: (backend, id) => {
        if (backend === PLUGINS) this.plugins.abandon(id);
        else this.pool.abandon(backend, id);
      },
    });
    this.#verifier =
      auth && new TokenVerifier(auth.tokens, log, { queue, onKeys: supervised.keepKeys });
    const gate = new Gate(settings, this.#verifier);
    this.#prover = this.#startProver(supervised, log);
    const budget = new BodyBudget(settings.maxBody);
    const metadata = ResourceMetadata.of(settings, this.#requests);
    const { pool } = this;
    const requests = this.#requests;
    const parts = { settings, requests, pool, gate, budget, health: this.#health, supervised, log };
    this.plugins = new PluginHandler(parts);
    this.#mcp = worker.mcp && new McpHandler(parts, metadata?.challenge);
    const routes = routeTable(parts, [this.plugins, this.#mcp, metadata]);
    this.#dispatcher = new Dispatcher(settings, this.#requests, gate, routes, budget);
    this.#endSamples = onSample(() => this.#sample());
  }

  /** Without a descriptor for it, a connection would wait to be accepted, and take all of the processor meanwhile. */
  #connected(res: HttpResponse): void {
    this.#requests.connected();
    if (this.#connections <= this.#mostConnections) return;
    res.close();
    if (this.#refusals.take(performance.now()))
      this.#log.warn(
        { most: Math.floor(this.#mostConnections) },
        'new connections are closed: the process has as many as its descriptors allow (ulimit -n)',
      );
  }

  #sample(): void {
    counts[HTTP.active] = this.#requests.pending;
    counts[HTTP.sending] = this.#requests.sending;
    counts[HTTP.connections] = this.#connections;
    counts[PLUGIN.waiting] = this.plugins.waiting;
    counts[LOG_DROPPED] = droppedLogLines();
    this.#proofCounts.sample();
  }

  /**
   * listen accepts connections once each database has been probed, so that the first response of `/_health` is right. A
   * database that does not answer delays this by the time limit of a probe. Resolves to the port; undefined when the server
   * was drained meanwhile. Rejects when it cannot listen on the address.
   */
  async listen(): Promise<number | undefined> {
    await this.#health.probed;
    if (!this.#accepting) return undefined;
    this.#mostConnections = mostConnections(this.#settings);
    this.#socket = this.#open(this.#settings.port);
    return uWS.us_socket_local_port(this.#socket);
  }

  /** allow sets how many connections each query thread may have. */
  allow(connections: Connections): void {
    this.pool.allow(connections);
    this.#prover?.connectionsChanged();
  }

  /** scriptsChanged has everything that caches stored scripts look at them. */
  scriptsChanged(): void {
    this.pool.scriptsChanged();
    this.#prover?.scriptsChanged();
  }

  /** cancelCalls ends calls of MCP clients that another HTTP process was asked to cancel. */
  cancelCalls(calls: readonly CancelledCall[]): void {
    this.#mcp?.cancel(calls);
  }

  /** report logs what is served; to be called once it listens. */
  report(log: Logger): Promise<void> {
    const { worker } = this.#settings;
    reportDatabases(worker, this.#health, log);
    return reportScripts(worker, this.pool, log);
  }

  stopListening(): void {
    if (this.#socket !== undefined) uWS.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
    this.#accepting = false;
  }

  /**
   * drain accepts no more connections, finishes the requests in flight within the grace period and closes everything.
   * Resolves to the number of requests that were cut off.
   */
  async drain(): Promise<number> {
    const requests = this.#requests;
    this.stopListening();
    const proverClosed = this.#prover?.close();
    requests.closing = true;
    const began = performance.now();
    for (;;) {
      // A process that was paused reads the requests that have arrived before it closes their connections.
      await setImmediate();
      const elapsed = performance.now() - began;
      if (requests.busy === 0 && (this.#connections === 0 || elapsed >= LINGER)) break;
      if (elapsed >= this.#settings.grace) break;
      await sleep(20);
    }
    const cut = requests.close();
    const pluginsClosed = this.plugins.close();
    this.#health.stop();
    this.#migration?.stop();
    this.#verifier?.close();
    if (cut > 0) await sleep(CANCELLING);
    this.#app.close();
    this.#endSamples();
    await Promise.all([this.pool.close(), pluginsClosed, proverClosed]);
    if (this.#spans !== undefined)
      await Promise.race([this.#spans.close(), sleep(SENDING_SPANS, undefined, { ref: false })]);
    return cut;
  }

  #startProver({ report, metrics }: Supervised, log: Logger): ProverThread | undefined {
    const { prover } = this.#settings;
    if (prover === undefined) return undefined;
    const settings = {
      ...prover,
      connections: this.pool.lending,
      activity: this.pool.activity,
      metrics: metrics?.prover,
    };
    const callbacks = { update: report, lend: () => this.pool.lent() };
    return new ProverThread(settings, this.pool.proofs, callbacks, log);
  }

  #open(port: number): us_listen_socket {
    const { host } = this.#settings;
    let opened: us_listen_socket | false = false;
    this.#app.listen(host, port, (socket) => {
      opened = socket;
    });
    if (opened === false) throw new Error(`cannot listen on ${host} port ${port}`);
    if (port !== 0) return opened;
    // uWebSockets.js shares only ports given by number: let the kernel pick one, and listen again on that.
    const picked = uWS.us_socket_local_port(opened);
    uWS.us_listen_socket_close(opened);
    return this.#open(picked);
  }

  readonly #answered: OnResponse = (id, status, type, lines, body) => {
    const request = this.#requests.find(id);
    if (request === undefined) {
      if (body instanceof ArrayBuffer) releaseBuffer(body);
      return; // too late: timed out or disconnected
    }
    try {
      // Workers respond with these to a script that does not exist, whatever its name.
      if (status !== 404 && status !== 405) request.routeMetrics.confirm();
      if (lines !== '') request.response.addLines(lines);
      this.#requests.respond(request, status, type, body);
    } catch (error) {
      this.#requests.fail(request, error);
    }
  };

  /** Rejects the requests of a worker that died, except those its successor gets. */
  readonly #died = (worker: number, kept: ReadonlySet<number>): void => {
    const lost = (one: HttpRequest): boolean => one.worker === worker && !kept.has(one.id);
    for (const request of this.#requests.select(lost)) {
      request.worker = -1;
      this.#requests.reject(request, 'worker_lost');
    }
  };
}
