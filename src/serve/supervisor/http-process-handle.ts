/**
 * One HTTP process as its supervisor sees it, from fork to exit. It gets its settings over the IPC channel, never in
 * arguments or environment, which other users can read. HttpProcessSlot replaces processes that die.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { installedFile } from '../../base/installed-file.js';
import type {
  CancelledCall,
  Connections,
  HttpProcessMessage,
  SpansMessage,
  SupervisorMessage,
} from '../../messages/ipc.js';
import type { Exposition } from '../../observe/metrics/exposition.js';
import type { ProofUpdate } from '../../messages/proofs.js';
import type { HttpSettings } from '../../messages/http-settings.js';
import { Heartbeat } from './heartbeat.js';
import type { KnownKeys } from './known-keys.js';
import type { LoginAttempts } from './login-attempts.js';
import type { ServedProofs } from './served-proofs.js';
import type { LibraryRequester, PluginLibraries } from './plugin-libraries.js';
import type { ProcessMetrics } from './process-metrics.js';

/** The bundle of '../http/http-process.js', made by scripts/build.mjs. */
const HTTP_PROCESS_FILE = installedFile('dist/programs/http-process.js');

/** The first descriptor of shared memory in an HTTP process: the entry after `ipc`. */
const FIRST_MEMORY = 4;

/** Limit of uWebSockets.js for request line and headers (bytes): a 64 KiB target and 32 KiB of headers. */
const MAX_HEADERS_SIZE = 98_304;

export interface HttpProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the supervisor has killed it, where it was not meant to end. */
  readonly reason?: string;
}

/** What all HTTP processes share; it outlives each of them. */
export interface SharedState {
  readonly attempts: LoginAttempts;
  readonly keys: KnownKeys;
  readonly libraries: PluginLibraries;
  readonly metrics: ProcessMetrics;
  /** Descriptor of the memory of worker-memory.ts; undefined without it. */
  readonly shared: number | undefined;
  /** Gives the metrics of the service, in the format that an Accept header prefers; undefined after a failure. */
  readonly scrape: (accept: string) => Exposition | undefined;
  readonly spans: (pid: number, message: SpansMessage) => void;
}

export class HttpProcessHandle {
  /** Resolves to the port once the process accepts connections; rejects when it ends before that. */
  readonly listening: Promise<number>;
  readonly exited: Promise<HttpProcessExit>;
  accepted = false;
  readonly #child: ChildProcess;

  /**
   * `onConnections` is called with the number of its connections, from `allow` until they are within the quota,
   * `onCancelled` with calls of MCP clients that are to be cancelled in the other processes.
   */
  constructor(
    settings: HttpSettings,
    { attempts, keys, libraries, metrics, shared, scrape, spans }: SharedState,
    proofs: ServedProofs,
    onConnections: (connections: Connections) => void = () => undefined,
    onCancelled: (calls: readonly CancelledCall[]) => void = () => undefined,
  ) {
    const { descriptor, forked, exited } = metrics.create(settings);
    const memory = [descriptor, shared].filter((one) => one !== undefined);
    const inherited = (one: number | undefined): number | undefined =>
      one && FIRST_MEMORY + memory.indexOf(one);
    const child = fork(HTTP_PROCESS_FILE, [], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...memory],
      // With the load spread over processes, one thread of V8's pool is enough: each takes a part of every collection.
      execArgv: [...process.execArgv, '--v8-pool-size=1'],
      env: { ...process.env, UWS_HTTP_MAX_HEADERS_SIZE: String(MAX_HEADERS_SIZE) },
    });
    this.#child = child;
    let reason: { readonly reason?: string } = {};
    const ping = (): void => this.#send({ type: 'ping' });
    const heartbeat = new Heartbeat(ping, () => {
      reason = { reason: 'it did not respond for half a minute' };
      this.kill();
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal, ...reason }));
      child.once('error', () => {
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    forked(child.pid);
    void this.exited.then(exited);
    void this.exited.then(() => heartbeat.stop());
    const requester: LibraryRequester = { send: (message, sent) => this.#send(message, sent) };
    const folder = settings.plugins.path;
    void this.exited.then(() => libraries.gone(requester));
    this.listening = new Promise((resolve, reject) => {
      child.on('message', (message: HttpProcessMessage) => {
        switch (message.type) {
          case 'listening':
            this.accepted = true;
            resolve(message.port);
            break;
          case 'pong':
            heartbeat.answered();
            break;
          case 'connections':
            onConnections(message.connections);
            break;
          case 'login-begin': {
            const { id } = message;
            this.#send({ type: 'login-wait', id, wait: attempts.begin(message.keys) });
            break;
          }
          case 'scrape': {
            const { id, accept } = message;
            const { contentType, body = '' } = scrape(accept) ?? {};
            const data = Buffer.from(body).toString('base64');
            this.#send({ type: 'scraped', id, contentType, body: data });
            break;
          }
          case 'login-end':
            attempts.end(message.keys, message.end);
            break;
          case 'spans':
            spans(child.pid!, message);
            break;
          case 'proofs':
            proofs.apply(message.update);
            break;
          case 'key-set':
            if (settings.auth !== undefined) keys.learn(settings.auth.tokens, message.text);
            break;
          case 'calls-cancelled':
            onCancelled(message.calls);
            break;
          case 'library-request':
            libraries.request(folder, message.name, requester);
            break;
          case 'library-loaded':
            libraries.loaded(folder, message.name, requester, message.loaded);
            break;
          case 'start-failed':
            reject(new Error(message.message));
        }
      });
      void this.exited.then(({ code, signal, reason }) => {
        const how = reason ?? signal ?? `exit code ${code ?? '?'}`;
        reject(new Error(`an HTTP process ended while starting (${how})`));
      });
    });
    this.listening.catch(() => undefined); // a rejection is not unhandled where no caller awaits it
    for (const update of proofs.chunks()) this.#send({ type: 'proofs', update });
    this.#send({
      type: 'start',
      settings: keys.fill(settings),
      metrics: inherited(descriptor),
      shared: inherited(shared),
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  allow(connections: Connections): void {
    this.#send({ type: 'connection-quota', connections });
  }

  scriptsChanged(): void {
    this.#send({ type: 'scripts-changed' });
  }

  proved(update: ProofUpdate): void {
    this.#send({ type: 'proofs', update });
  }

  cancelCalls(calls: readonly CancelledCall[]): void {
    this.#send({ type: 'calls-cancelled', calls });
  }

  /** stopListening has the process accept no more connections; resolves when it does not, or has exited. */
  stopListening(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.on('message', ({ type }: HttpProcessMessage) => {
        if (type === 'stopped-listening') resolve();
      });
      void this.exited.then(() => resolve());
      this.#send({ type: 'stop-listening' });
    });
  }

  /** drain has the process finish its requests and exit, with code 0 when none was cut off. */
  drain(): void {
    this.#send({ type: 'drain' });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: SupervisorMessage, sent: (error: Error | null) => void = () => undefined): void {
    if (this.#child.connected) this.#child.send(message, sent);
    else sent(new Error('the HTTP process has exited'));
  }
}
