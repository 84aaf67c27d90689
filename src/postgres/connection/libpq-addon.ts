/**
 * Loads libpq's addon (the part of pg-native that is used) for the calling thread. That addon can be loaded only once in a
 * process, so each thread loads a private copy of the file, deleted as soon as it is mapped and kept until the thread has
 * ended, and puts its exports into the module cache before libpq's JavaScript requires them. In the copy a few imported functions are redirected to our own
 * addon (native/libpq_bridge.cc), because libpq's addon uses the main thread's loop only. A version in which one of them
 * is not found is used unchanged: see connectsSafely.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { keepLibrary } from '../../native/thread-library.js';

/** One libpq connection: the methods of libpq's addon that are used, some by tests only. See native/pipeline.ts. */
export interface Libpq {
  /**
   * connect connects without blocking the thread; `done` gets an Error when it failed, after which finish must be
   * called. No other call is allowed before `done`. Set connect_timeout: nothing else ends it.
   */
  connect(conninfo: string, done: (error?: Error | string) => void): void;
  /** connectSync connects, blocking the thread. Throws when it fails (the connection is finished then). */
  connectSync(conninfo: string): void;
  finish(): void;
  /** socket is the connection's descriptor, -1 when it has none. */
  socket(): number;
  /** serverVersion is for instance 150018, 0 when not connected. */
  serverVersion(): number;
  setNonBlocking(on: boolean): boolean;
  enterPipelineMode(): boolean;
  /** sendQueryParams sends a statement; false when it cannot. */
  sendQueryParams(text: string, values: readonly (string | null)[]): boolean;
  /** sendQuery sends a statement without values, outside pipeline mode; false when it cannot. */
  sendQuery(text: string): boolean;
  /** flush sends what was written: 0 all of it, 1 the socket is full, -1 the connection is lost. */
  flush(): number;
  /** consumeInput reads what has arrived; false when the connection is lost. */
  consumeInput(): boolean;
  /** isBusy tells whether getResult would block. */
  isBusy(): boolean;
  /** getResult takes the next result; false when the statement has no more. */
  getResult(): boolean;
  /** resultStatus is libpq's name of it, for instance PGRES_COMMAND_OK. */
  resultStatus(): string;
  resultErrorMessage(): string;
  /** resultErrorFields has the fields of a server's error; `sqlState` is missing in one of libpq itself. */
  resultErrorFields(): { readonly sqlState?: string };
  errorMessage(): string;
  /** notifies takes the next notification received. */
  notifies(): { readonly relname: string; readonly extra: string } | undefined;
  /**
   * cancel asks the server to cancel what the connection runs, on a connection and thread of its own. True when the
   * attempt was started; when the request arrives is not reported.
   */
  cancel(): true | string | Error;
}

export interface LibpqConstructor {
  new (): Libpq;
  readonly prototype: Libpq;
}

/**
 * The functions imported by libpq's addon that native/libpq_bridge.cc replaces. In the copy REPLACEMENT stands for
 * their first two letters, so that the string table keeps its size.
 */
const REDIRECTED = [
  'PQconnectdb',
  'PQfinish',
  'PQcancel',
  'PQfreeCancel',
  'uv_poll_init_socket',
  'uv_queue_work',
];
const REPLACEMENT = 'SR';

/** Redirects the imports in the bytes of a copy: all of them, or none (false) when one is not found. */
function redirect(image: Buffer): boolean {
  const offsets = REDIRECTED.map((name) => image.indexOf(`\0${name}\0`, 0, 'latin1') + 1);
  if (offsets.includes(0)) return false;
  for (const offset of offsets) image.write(REPLACEMENT, offset, 'latin1');
  return true;
}

/** Maps a copy of the file and returns its exports. Tries a second folder in case the first one forbids execution. */
function loadCopy(path: string): unknown {
  const image = readFileSync(path);
  redirected = redirect(image);
  let failure: unknown;
  for (const folder of [tmpdir(), dirname(path)]) {
    // Never a name used before: overwriting a mapped file kills the process when it is unmapped.
    const copy = join(folder, `libpq-${process.pid}-${randomUUID()}.node`);
    try {
      writeFileSync(copy, image, { flag: 'wx', mode: 0o700 });
      const module = { exports: {} };
      process.dlopen(module, copy, constants.dlopen.RTLD_NOW);
      keepLibrary(copy);
      return module.exports;
    } catch (error) {
      failure = error;
    } finally {
      try {
        unlinkSync(copy);
      } catch {
        // It was never written.
      }
    }
  }
  throw new Error(`libpq's addon cannot be loaded from a copy of ${path}`, { cause: failure });
}

let loaded: LibpqConstructor | undefined;
let redirected = false;

/**
 * connectsSafely tells whether the loaded addon's calls are redirected. If not (an unknown version of libpq's addon),
 * connections must be made with connectSync and finished before their thread ends.
 */
export function connectsSafely(): boolean {
  return redirected;
}

/**
 * loadLibpq returns the class of libpq connections, loading it on a thread's first call. Throws when pg-native is not
 * installed or was installed without being built.
 */
export function loadLibpq(): LibpqConstructor {
  loaded ??= load();
  return loaded;
}

function load(): LibpqConstructor {
  const require = createRequire(import.meta.url);
  const libpq = createRequire(require.resolve('pg-native')).resolve('libpq');
  const path = join(dirname(libpq), 'build', 'Release', 'addon.node');
  const module = new Module(path);
  module.filename = path;
  module.exports = loadCopy(path);
  module.loaded = true;
  require.cache[path] = module;
  // Another package (pg) may have loaded it already, with the addon unchanged.
  Reflect.deleteProperty(require.cache, libpq);
  const constructor = require(libpq) as LibpqConstructor;
  keepUntilClosed(constructor.prototype);
  return constructor;
}

/**
 * A poll handle is part of libpq's C++ object, and libuv closes it only in the next iteration of the loop. Until then the
 * object must not be garbage collected.
 */
function keepUntilClosed(prototype: Libpq): void {
  const closing = new Set<Libpq>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with the connection below
  const finish = prototype.finish;
  prototype.finish = function (this: Libpq) {
    closing.add(this);
    finish.call(this);
    setImmediate(() => setImmediate(() => closing.delete(this)));
  };
}
