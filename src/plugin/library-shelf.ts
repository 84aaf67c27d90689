/**
 * The libraries of a front end: their bytes, which the supervisor reads at the first call to one and which never change
 * then; the calls that wait for them; and for a second each, those that are not to be had, so that not every request asks
 * for them or loads what is broken.
 */
import { ServiceError } from '../errors.js';
import type { Logger } from '../log.js';
import type { LibraryPart, LibraryRefusal } from '../protocol.js';
import type { PluginCall } from './wire.js';

/** Asks for libraries, and tells what became of them. */
export interface LibrarySource {
  /** The bytes of a library are wanted. */
  ask(name: string): void;
  /** They were loaded, or could not be. */
  loaded(name: string, loaded: boolean): void;
}

/** How long a library is refused (milliseconds), and most of them that are remembered for that. */
const REFUSED_FOR = 1_000;
const REFUSED_MOST = 1_024;

/** A library that was asked for. */
interface Library {
  /** Undefined until all of it is there. */
  bytes: Buffer | undefined;
  parts: Buffer[];
  /** Whether any process has loaded it. */
  confirmed: boolean;
  waiting: PluginCall[];
}

interface Refusal {
  readonly until: number;
  error: ServiceError;
  /** Whether the log was told why. */
  told: boolean;
}

/** LibraryShelf holds them by name. */
export class LibraryShelf {
  readonly #source: LibrarySource;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #libraries = new Map<string, Library>();
  /** The latest refusal last. */
  readonly #refusals = new Map<string, Refusal>();

  /** `now` is the clock (milliseconds). */
  constructor(source: LibrarySource, log: Logger, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#log = log;
    this.#now = now;
  }

  /** take tells whether a call's library is there; if not, the call waits for it, or the error says why it is not to be had. */
  take(call: PluginCall): boolean | ServiceError {
    const name = call.file;
    const known = this.#libraries.get(name);
    const refusal = this.#refusals.get(name);
    if (refusal !== undefined) {
      if (this.#now() < refusal.until) return refusal.error;
      this.#refusals.delete(name);
    }
    if (known?.bytes !== undefined) return true;
    if (known !== undefined) known.waiting.push(call);
    else {
      const waiting = [call];
      this.#libraries.set(name, { bytes: undefined, parts: [], confirmed: false, waiting });
      this.#source.ask(name);
    }
    return false;
  }

  /** bytesOf are those of a library that is there. */
  bytesOf(name: string): Buffer {
    return this.#libraries.get(name)!.bytes!;
  }

  /** arrived takes what the supervisor sent, and returns the calls that need not wait any more: `take` says why. */
  arrived(message: LibraryPart | LibraryRefusal): readonly PluginCall[] {
    const { name } = message;
    const library = this.#libraries.get(name);
    if (library === undefined) return [];
    if (message.type === 'library-refused') {
      this.#libraries.delete(name);
      const missing = message.reason === 'missing';
      this.#refuse(
        name,
        missing
          ? new ServiceError('plugin_not_found', `plugin not found: ${name}`)
          : new ServiceError('plugin_load_failed'),
      ).told = true;
      if (!missing) this.#tell(name, message.detail);
    } else {
      library.parts.push(Buffer.from(message.data, 'base64'));
      if (!message.last) return [];
      library.bytes = Buffer.concat(library.parts);
      library.parts = [];
    }
    const { waiting } = library;
    library.waiting = [];
    return waiting;
  }

  /** loaded notes that a library could be loaded. */
  loaded(name: string): void {
    const library = this.#libraries.get(name);
    if (library === undefined || library.confirmed) return;
    library.confirmed = true;
    this.#source.loaded(name, true);
  }

  /** unloadable refuses a library for a while; one that was never loaded is forgotten, for it may be mended. */
  unloadable(name: string, error = new ServiceError('plugin_load_failed')): void {
    const library = this.#libraries.get(name);
    if (library === undefined) return;
    this.#refuse(name, error);
    if (library.confirmed) return;
    this.#libraries.delete(name);
    this.#source.loaded(name, false);
  }

  /** crashed refuses libraries that a process died with, unless they were loaded before. */
  crashed(names: ReadonlySet<string>): void {
    for (const name of names)
      if (this.#libraries.get(name)?.confirmed === false)
        this.unloadable(name, new ServiceError('plugin_crashed'));
  }

  /** explain says why a library could not be loaded: `message` to callers, `detail` to the log, once for each attempt. */
  explain(name: string, message: string, detail: string): void {
    const refusal = this.#refusals.get(name);
    if (refusal === undefined || refusal.told) return;
    refusal.told = true;
    refusal.error = new ServiceError('plugin_load_failed', message);
    this.#tell(name, detail);
  }

  /** drop forgets waiting calls with some ids. */
  drop(ids: ReadonlySet<number>): void {
    for (const library of this.#libraries.values())
      if (library.waiting.length > 0)
        library.waiting = library.waiting.filter(({ id }) => !ids.has(id));
  }

  #refuse(name: string, error: ServiceError): Refusal {
    this.#refusals.delete(name); // to come last
    if (this.#refusals.size >= REFUSED_MOST)
      this.#refusals.delete(this.#refusals.keys().next().value!);
    const refusal = { until: this.#now() + REFUSED_FOR, error, told: false };
    this.#refusals.set(name, refusal);
    return refusal;
  }

  #tell(name: string, detail: string): void {
    this.#log.error({ plugin: name, detail }, 'a plugin could not be loaded');
  }
}
