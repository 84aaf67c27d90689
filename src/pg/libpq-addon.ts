/**
 * Loads libpq's addon (below pg-native) for the calling thread. That addon may be loaded once a process only, so each
 * thread loads a private copy of the file, deleted as soon as it is mapped; what it exports is put into the module
 * cache before pg-native asks for it. In the copy a few imported functions are redirected to our own addon
 * (native/libpq_bridge.cc), because libpq's addon knows only the main thread's loop. A version of it in which one of
 * them is not found is used as it is: see connectsSafely.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import '../native/addon.js';

/**
 * One libpq connection: the calls of libpq's addon that are used, some by tests of this file alone. Statements go through
 * native/pipeline.ts.
 */
export interface Libpq {
  /**
   * connect connects without blocking the thread; `done` gets an Error when it failed, after which finish must be
   * called. Neither finish nor any other call is allowed before `done`. Set connect_timeout: nothing else ends it.
   */
  connect(conninfo: string, done: (error?: Error | string) => void): void;
  /** connectSync connects and blocks the thread meanwhile. Throws when it fails (finish is done then). */
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
  /** consumeInput reads what waits in the socket; false when the connection is lost. */
  consumeInput(): boolean;
  /** isBusy tells whether getResult would block. */
  isBusy(): boolean;
  /** getResult takes the next result; false when there is no more of the statement. */
  getResult(): boolean;
  /** resultStatus is libpq's word for what the result is: PGRES_COMMAND_OK. */
  resultStatus(): string;
  resultErrorMessage(): string;
  /** errorMessage is what went wrong last with the connection. */
  errorMessage(): string;
  /** notifies takes the next notification that has come. */
  notifies(): { readonly relname: string; readonly extra: string } | undefined;
  /**
   * cancel asks the server to cancel what the connection runs, on a connection and thread of its own: true means that
   * it was begun, and nobody learns when it arrives.
   */
  cancel(): true | string | Error;
}

export interface LibpqConstructor {
  new (): Libpq;
  readonly prototype: Libpq;
}

/**
 * The functions imported by libpq's addon that native/libpq_bridge.cc replaces. In the copy their first two letters
 * become those of REPLACEMENT, so that the string table keeps its size.
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

/** Redirects the imports in the bytes of a copy, in place: all of them, or none (false) when one is not there. */
function redirect(image: Buffer): boolean {
  const places = REDIRECTED.map((name) => image.indexOf(`\0${name}\0`, 0, 'latin1') + 1);
  if (places.includes(0)) return false;
  for (const place of places) image.write(REPLACEMENT, place, 'latin1');
  return true;
}

/** Maps a copy of the file and returns its exports. Tries a second folder where the first one forbids execution. */
function loadCopy(path: string): unknown {
  const image = readFileSync(path);
  redirected = redirect(image);
  let failure: unknown;
  for (const folder of [tmpdir(), dirname(path)]) {
    // Never a name that was used before: overwriting a file that is mapped kills the process when it is unmapped.
    const copy = join(folder, `libpq-${process.pid}-${randomUUID()}.node`);
    try {
      writeFileSync(copy, image, { flag: 'wx', mode: 0o700 });
      const module = { exports: {} };
      process.dlopen(module, copy, constants.dlopen.RTLD_NOW);
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
 * connectsSafely tells whether the loaded addon's calls are redirected: false (another version of libpq's addon than
 * those known) means that connections must be made with connectSync and finished before their thread ends.
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
  const pgNative = require.resolve('pg-native');
  const libpq = createRequire(pgNative).resolve('libpq');
  const path = join(dirname(libpq), 'build', 'Release', 'addon.node');
  const module = new Module(path);
  module.filename = path;
  module.exports = loadCopy(path);
  module.loaded = true;
  require.cache[path] = module;
  // Somebody else (pg) may have loaded them already, with the addon as it is.
  for (const loadedBefore of [pgNative, libpq]) Reflect.deleteProperty(require.cache, loadedBefore);
  const Client = require('pg-native') as new () => { readonly pq: Libpq };
  const constructor = new Client().pq.constructor as LibpqConstructor;
  outliveClosing(constructor.prototype);
  return constructor;
}

/**
 * A poll handle is part of libpq's C++ object, and libuv closes it only when the loop has come round. Until then the
 * object must not be collected as garbage.
 */
function outliveClosing(prototype: Libpq): void {
  const closing = new Set<Libpq>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with the connection below
  const finish = prototype.finish;
  prototype.finish = function (this: Libpq) {
    closing.add(this);
    finish.call(this);
    setImmediate(() => setImmediate(() => closing.delete(this)));
  };
}
