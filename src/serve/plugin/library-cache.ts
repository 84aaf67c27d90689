/**
 * The plugin libraries of an HTTP process: their bytes, which the supervisor reads at the first call and which never change
 * afterwards, and the calls that wait for them. Unavailable libraries are rejected for a while without another attempt.
 * Until a library is loaded, only one call to it runs: a constructor that does not return blocks its thread, or all loading.
 */
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../observe/log.js';
import type { LibraryPart, LibraryRejection } from '../../messages/ipc.js';
import type { PluginCall } from './wire.js';

/** Where libraries come from: the supervisor. */
export interface LibrarySource {
  /** Requests the bytes of a library. */
  request(name: string): void;
  loaded(name: string, loaded: boolean): void;
}

/** How long a library is rejected, ms; the same when loading did not finish; most rejections remembered. */
const REJECT_TIME = 1_000;
const HUNG_TIME = 60_000;
const MAX_REJECTIONS = 1_024;

interface Library {
  /** Undefined until all parts have arrived. */
  bytes: Buffer | undefined;
  parts: Buffer[];
  /** Whether a host process has loaded it. */
  confirmed: boolean;
  /** The one call that runs before that; undefined when none does. */
  trial: number | undefined;
  waiting: PluginCall[];
}

interface Rejection {
  readonly until: number;
  error: ServiceError;
  logged: boolean;
}

export class LibraryCache {
  readonly #source: LibrarySource;
  readonly #log: Logger;
  readonly #resume: (call: PluginCall) => void;
  readonly #now: () => number;
  readonly #libraries = new Map<string, Library>();
  /** Oldest first. */
  readonly #rejections = new Map<string, Rejection>();

  /** `resume` gets calls that waited, to be submitted again. `now` is the clock, ms. */
  constructor(
    source: LibrarySource,
    log: Logger,
    resume: (call: PluginCall) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#source = source;
    this.#log = log;
    this.#resume = resume;
    this.#now = now;
  }

  /** take tells whether the library of a call is available. If not, the call waits (false) or fails with the error. */
  take(call: PluginCall): boolean | ServiceError {
    const name = call.file;
    const known = this.#libraries.get(name);
    const rejection = this.#rejections.get(name);
    if (rejection !== undefined) {
      if (this.#now() < rejection.until) return rejection.error;
      this.#rejections.delete(name);
    }
    if (known?.confirmed === true) return true;
    if (known?.bytes !== undefined) {
      known.trial ??= call.id;
      if (known.trial === call.id) return true;
    }
    if (known !== undefined) known.waiting.push(call);
    else {
      this.#libraries.set(name, {
        bytes: undefined,
        parts: [],
        confirmed: false,
        trial: undefined,
        waiting: [call],
      });
      this.#source.request(name);
    }
    return false;
  }

  /** Only for an available library. */
  bytesOf(name: string): Buffer {
    return this.#libraries.get(name)!.bytes!;
  }

  /** arrived receives a message of the supervisor. */
  arrived(message: LibraryPart | LibraryRejection): void {
    const { name } = message;
    const library = this.#libraries.get(name);
    if (library === undefined) return;
    if (message.type === 'library-rejected') {
      this.#libraries.delete(name);
      const missing = message.reason === 'missing';
      this.#reject(
        name,
        missing
          ? new ServiceError('plugin_not_found', `plugin not found: ${name}`)
          : new ServiceError('plugin_load_failed'),
      ).logged = true;
      if (!missing) this.#logFailure(name, message.detail);
    } else {
      library.parts.push(Buffer.from(message.data, 'base64'));
      if (!message.last) return;
      library.bytes = Buffer.concat(library.parts);
      library.parts = [];
    }
    this.#release(library);
  }

  /** ended records the end of a call: after the only call that ran before the library was loaded, another may run. */
  ended({ id, file }: PluginCall): void {
    const library = this.#libraries.get(file);
    if (library === undefined || library.confirmed || library.trial !== id) return;
    library.trial = undefined;
    this.#release(library);
  }

  loaded(name: string): void {
    const library = this.#libraries.get(name);
    if (library === undefined || library.confirmed) return;
    library.confirmed = true;
    this.#source.loaded(name, true);
    this.#release(library);
  }

  /** unloadable rejects a library for `time` ms. One that was never loaded is requested again later: it may be fixed. */
  unloadable(
    name: string,
    error = new ServiceError('plugin_load_failed'),
    time = REJECT_TIME,
  ): void {
    const library = this.#libraries.get(name);
    if (library === undefined) return;
    this.#reject(name, error, time);
    if (library.confirmed) return;
    this.#libraries.delete(name);
    this.#source.loaded(name, false);
    this.#release(library);
  }

  /** timedOut records that a call timed out. If it was loading its library, that is rejected for longer. */
  timedOut({ id, file }: PluginCall): void {
    const library = this.#libraries.get(file);
    if (library === undefined || library.confirmed || library.trial !== id) return;
    this.#log.error({ plugin: file, rejected: HUNG_TIME }, 'a plugin did not finish loading');
    const message = `plugin ${file} takes too long to load`;
    this.unloadable(file, new ServiceError('plugin_timeout', message), HUNG_TIME);
  }

  /** crashed rejects the libraries that a process died with, except those loaded before. */
  crashed(names: ReadonlySet<string>): void {
    for (const name of names)
      if (this.#libraries.get(name)?.confirmed === false)
        this.unloadable(name, new ServiceError('plugin_crashed'));
  }

  /** explain records why a library could not be loaded: `message` for callers, `detail` for the log, once an attempt. */
  explain(name: string, message: string, detail: string): void {
    const rejection = this.#rejections.get(name);
    if (rejection === undefined || rejection.logged) return;
    rejection.logged = true;
    rejection.error = new ServiceError('plugin_load_failed', message);
    this.#logFailure(name, detail);
  }

  /** drop removes the waiting calls with these ids. */
  drop(ids: ReadonlySet<number>): void {
    for (const library of this.#libraries.values()) {
      if (library.waiting.length > 0)
        library.waiting = library.waiting.filter(({ id }) => !ids.has(id));
      if (library.confirmed || library.trial === undefined || !ids.has(library.trial)) continue;
      library.trial = undefined;
      this.#release(library);
    }
  }

  #release(library: Library): void {
    const { waiting } = library;
    library.waiting = [];
    for (const call of waiting) this.#resume(call);
  }

  #reject(name: string, error: ServiceError, time = REJECT_TIME): Rejection {
    this.#rejections.delete(name); // inserted again as the newest
    if (this.#rejections.size >= MAX_REJECTIONS)
      this.#rejections.delete(this.#rejections.keys().next().value!);
    const rejection = { until: this.#now() + time, error, logged: false };
    this.#rejections.set(name, rejection);
    return rejection;
  }

  #logFailure(name: string, detail: string): void {
    this.#log.error({ plugin: name, detail }, 'a plugin could not be loaded');
  }
}
