/**
 * One front-end process: forked, given its settings over the channel between the two (never in arguments or
 * environment, which other users can read), told to drain, or killed. Replaces nothing: what starts it again is a
 * FrontEndSlot.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  Connections,
  FrontEndMessage,
  FrontEndSettings,
  SupervisorMessage,
} from '../protocol.js';
import type { KnownKeys } from './known-keys.js';
import type { LoginAttempts } from './login-attempts.js';
import type { LibraryAsker, PluginLibraries } from './plugin-libraries.js';

const FRONT_END_FILE = fileURLToPath(new URL('../http/front-end.js', import.meta.url));

/** What uWebSockets.js takes of request line and headers (bytes): a 64 KiB target and 32 KiB of headers. */
const MAX_HEADERS_SIZE = 98_304;

/** How a front end came to its end. */
export interface FrontEndExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What front ends share, and what outlives each of them. */
export interface FrontEndMemory {
  /** Counts logins. */
  readonly attempts: LoginAttempts;
  readonly keys: KnownKeys;
  readonly libraries: PluginLibraries;
}

/** FrontEndProcess is one child process, from fork to exit. */
export class FrontEndProcess {
  /** Resolves to the port once it accepts connections; rejects when it ends before that. */
  readonly listening: Promise<number>;
  /** Resolves when the process is gone. */
  readonly exited: Promise<FrontEndExit>;
  readonly #child: ChildProcess;
  readonly #unlistened: Promise<void>;
  #closed!: () => void;

  /**
   * `holds` is told how many connections it has at most, from `allow` until they are as few as allowed.
   */
  constructor(
    settings: FrontEndSettings,
    { attempts, keys, libraries }: FrontEndMemory,
    holds: (connections: Connections) => void = () => undefined,
  ) {
    const child = fork(FRONT_END_FILE, [], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Every thread of V8's pool wants a part of each collection: with the load spread over processes one is enough.
      execArgv: [...process.execArgv, '--v8-pool-size=1'],
      env: { ...process.env, UWS_HTTP_MAX_HEADERS_SIZE: String(MAX_HEADERS_SIZE) },
    });
    this.#child = child;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', () => {
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    this.#unlistened = new Promise((resolve) => {
      this.#closed = resolve;
    });
    void this.exited.then(this.#closed);
    const asker: LibraryAsker = { send: (message, sent) => this.#send(message, sent) };
    const folder = settings.plugins.path;
    void this.exited.then(() => libraries.gone(asker));
    this.listening = new Promise((resolve, reject) => {
      child.on('message', (message: FrontEndMessage) => {
        switch (message.type) {
          case 'listening':
            resolve(message.port);
            break;
          case 'connections':
            holds(message.connections);
            break;
          case 'unlistened':
            this.#closed();
            break;
          case 'attempt': {
            const { id } = message;
            this.#send({ type: 'attempt', id, wait: attempts.begin(message.keys) });
            break;
          }
          case 'attempted':
            attempts.end(message.keys, message.end);
            break;
          case 'keys':
            if (settings.auth !== undefined) keys.learn(settings.auth.tokens, message.text);
            break;
          case 'library':
            libraries.ask(folder, message.name, asker);
            break;
          case 'library-loaded':
            libraries.loaded(folder, message.name, asker, message.loaded);
            break;
          case 'failed':
            reject(new Error(message.message));
        }
      });
      void this.exited.then(({ code, signal }) =>
        reject(
          new Error(`a front end ended while starting (${signal ?? `exit code ${code ?? '?'}`})`),
        ),
      );
    });
    this.listening.catch(() => undefined); // whoever awaits it hears of it
    this.#send({ type: 'start', settings: keys.fill(settings) });
  }

  /** pid is the process number. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** allow sets how many connections each of its query threads may hold. */
  allow(connections: Connections): void {
    this.#send({ type: 'connections', connections });
  }

  /** scriptsChanged tells it that stored scripts may have changed. */
  scriptsChanged(): void {
    this.#send({ type: 'scripts' });
  }

  /** unlisten asks the process to take no new connections; resolves when it does not, or is gone. */
  unlisten(): Promise<void> {
    this.#send({ type: 'unlisten' });
    return this.#unlistened;
  }

  /** drain asks the process to finish what it has and exit: 0 when nothing was cut off. */
  drain(): void {
    this.#send({ type: 'drain' });
  }

  /** kill ends the process at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** A dead one is noticed by its exit. */
  #send(message: SupervisorMessage, sent: (error: Error | null) => void = () => undefined): void {
    if (this.#child.connected) this.#child.send(message, sent);
    else sent(new Error('the front end is gone'));
  }
}
