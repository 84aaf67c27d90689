/**
 * The libraries of a front end: their bytes, which the supervisor reads at the first call to one and which never change
 * then; the calls that wait for them; and for a while each, those that are not to be had, so that not every request asks
 * for them or loads what is broken. Until a library is loaded one call alone gets through to it: what its constructors
 * do may keep a thread, or all loading, for ever.
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

/** How long a library is refused (milliseconds), one that did not end to load, and most of them that are remembered. */
const REFUSED_FOR = 1_000;
const HUNG_FOR = 60_000;
const REFUSED_MOST = 1_024;

/** A library that was asked for. */
interface Library {
  /** Undefined until all of it is there. */
  bytes: Buffer | undefined;
  parts: Buffer[];
  /** Whether any process has loaded it. */
  confirmed: boolean;
  /** The call that got through to it before that; undefined when none is under way. */
  trial: number | undefined;
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
  readonly #resume: (call: PluginCall) => void;
  readonly #now: () => number;
  readonly #libraries = new Map<string, Library>();
  /** The latest refusal last. */
  readonly #refusals = new Map<string, Refusal>();

  /** `resume` gets calls that waited: `take` says what becomes of them. `now` is the clock (milliseconds). */
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

  /** take tells whether a call's library is there; if not, the call waits for it, or the error says why it is not to be had. */
  take(call: PluginCall): boolean | ServiceError {
    const name = call.file;
    const known = this.#libraries.get(name);
    const refusal = this.#refusals.get(name);
    if (refusal !== undefined) {
      if (this.#now() < refusal.until) return refusal.error;
      this.#refusals.delete(name);
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
      this.#source.ask(name);
    }
    return false;
  }

  /** bytesOf are those of a library that is there. */
  bytesOf(name: string): Buffer {
    return this.#libraries.get(name)!.bytes!;
  }

  /** arrived takes what the supervisor sent. */
  arrived(message: LibraryPart | LibraryRefusal): void {
    const { name } = message;
    const library = this.#libraries.get(name);
    if (library === undefined) return;
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
      if (!message.last) return;
      library.bytes = Buffer.concat(library.parts);
      library.parts = [];
    }
    this.#release(library);
  }

  /** ended notes the end of a call, whatever it came to: if it was the one that got through, another one may. */
  ended({ id, file }: PluginCall): void {
    const library = this.#libraries.get(file);
    if (library === undefined || library.confirmed || library.trial !== id) return;
    library.trial = undefined;
    this.#release(library);
  }

  /** loaded notes that a library could be loaded. */
  loaded(name: string): void {
    const library = this.#libraries.get(name);
    if (library === undefined || library.confirmed) return;
    library.confirmed = true;
    this.#source.loaded(name, true);
    this.#release(library);
  }

  /** unloadable refuses a library for a while; one that was never loaded is forgotten, for it may be mended. */
  unloadable(
    name: string,
    error = new ServiceError('plugin_load_failed'),
    time = REFUSED_FOR,
  ): void {
    const library = this.#libraries.get(name);
    if (library === undefined) return;
    this.#refuse(name, error, time);
    if (library.confirmed) return;
    this.#libraries.delete(name);
    this.#source.loaded(name, false);
    this.#release(library);
  }

  /** timedOut notes that a call took too long; when that was to load its library, it is refused for longer. */
  timedOut({ id, file }: PluginCall): void {
    const library = this.#libraries.get(file);
    if (library === undefined || library.confirmed || library.trial !== id) return;
    this.#log.error({ plugin: file, refused: HUNG_FOR }, 'a plugin does not end to load');
    const message = `plugin ${file} takes too long to load`;
    this.unloadable(file, new ServiceError('plugin_timeout', message), HUNG_FOR);
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

  /** drop forgets calls with some ids. */
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

  #refuse(name: string, error: ServiceError, time = REFUSED_FOR): Refusal {
    this.#refusals.delete(name); // to come last
    if (this.#refusals.size >= REFUSED_MOST)
      this.#refusals.delete(this.#refusals.keys().next().value!);
    const refusal = { until: this.#now() + time, error, told: false };
    this.#refusals.set(name, refusal);
    return refusal;
  }

  #tell(name: string, detail: string): void {
    this.#log.error({ plugin: name, detail }, 'a plugin could not be loaded');
  }
}
