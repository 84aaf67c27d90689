/**
 * A key set that may change: loaded at start, again and again beside the requests, and when a token names a key that is
 * not there, but then only so often. The last good set is kept for as long as loading fails; it may come from a process
 * before. Each change between loading and failing is logged once.
 */
import { performance } from 'node:perf_hooks';
import type { Logger } from '../log.js';
import { KeySetError, parseKeySet, type KeySet } from './key-set.js';

/** How a key set is loaded. Times are milliseconds. */
export interface KeySetSourceOptions {
  /** What the log calls it. */
  readonly name: string;
  readonly algorithm: string;
  /** Loads the text; may reject, and should when the signal says so. */
  readonly load: (signal: AbortSignal) => Promise<string>;
  /** Between loads, and up to a fifth more, so that many processes do not ask at once. */
  readonly interval: number;
  /** Least time between loads because of tokens, and between loads while they fail. */
  readonly cooldown: number;
  /** Most time of one load. */
  readonly timeout: number;
  readonly log: Logger;
  /** What was loaded last from the same place: used until there is a new one. */
  readonly last: string | undefined;
  /** Called with the text of each set that is another than the one before. */
  readonly onChange: (text: string) => void;
  /** Called when a key of the set before is gone or another. */
  readonly onLoss: () => void;
}

/** KeySetSource loads from its construction until close. */
export class KeySetSource {
  readonly #options: KeySetSourceOptions;
  #current: KeySet | undefined;
  #text: string | undefined;
  #failing = false;
  #loading: Promise<void> | undefined;
  /** When the last load ended, ms of the monotonic clock. */
  #ended = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #abort: ((reason: KeySetError) => void) | undefined;
  #closed = false;

  constructor(options: KeySetSourceOptions) {
    this.#options = options;
    if (options.last !== undefined) this.#resume(options.last);
    void this.#begin();
  }

  /** current is the last good set; undefined before there was one. */
  get current(): KeySet | undefined {
    return this.#current;
  }

  /** starting tells whether there is no set yet because the first load has not ended. */
  get starting(): boolean {
    return this.#current === undefined && this.#ended === -Infinity;
  }

  /** refresh loads the set because a token asks for it; resolves at once when that was done a moment ago. */
  refresh(): Promise<void> {
    if (this.#loading !== undefined) return this.#loading;
    const early = performance.now() - this.#ended < this.#options.cooldown;
    return early || this.#closed ? Promise.resolve() : this.#begin();
  }

  /** close ends a load in flight and begins no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#abort?.(new KeySetError('the service stops'));
  }

  #resume(text: string): void {
    const { algorithm, name, log } = this.#options;
    this.#current = parseKeySet(text, algorithm);
    this.#text = text;
    log.info({ source: name, keys: this.#current.size }, 'the last key set is used until it loads');
  }

  #begin(): Promise<void> {
    clearTimeout(this.#timer);
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
      this.#ended = performance.now();
      if (!this.#closed) this.#schedule();
    });
    return this.#loading;
  }

  #schedule(): void {
    const { interval, cooldown } = this.#options;
    const delay = (this.#failing ? cooldown : interval) * (1 + Math.random() / 5);
    this.#timer = setTimeout(() => void this.#begin(), delay).unref();
  }

  async #load(): Promise<void> {
    try {
      this.#take(await this.#limited());
    } catch (error) {
      if (!this.#closed) this.#fail(error);
    }
  }

  /** A disk that hangs knows nothing of signals, so the time limit does not depend on the loader. */
  #limited(): Promise<string> {
    const { load, timeout } = this.#options;
    const controller = new AbortController();
    return new Promise((resolve, reject) => {
      this.#abort = (reason) => {
        reject(reason);
        controller.abort(reason);
      };
      const late = new KeySetError(`nothing came within ${timeout} ms`);
      const timer = setTimeout(() => this.#abort?.(late), timeout).unref();
      load(controller.signal)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  #take(text: string): void {
    const { algorithm, name, log, onChange, onLoss } = this.#options;
    if (text !== this.#text) {
      const next = parseKeySet(text, algorithm);
      const lost = this.#current !== undefined && !next.covers(this.#current);
      this.#current = next;
      this.#text = text;
      logKeySet(log, name, next);
      if (lost) onLoss();
      onChange(text);
    } else if (this.#failing) log.info({ source: name }, 'the key set can be loaded again');
    this.#failing = false;
  }

  #fail(error: unknown): void {
    if (!this.#failing) {
      const { name, log } = this.#options;
      const what =
        this.#current === undefined
          ? 'the key set cannot be loaded: there are no keys yet'
          : 'the key set cannot be loaded: the keys of before are kept';
      log.warn({ source: name, reason: reasonOf(error) }, what);
    }
    this.#failing = true;
  }
}

/** logKeySet says in one line what a key set has; loudly when no key of it can be used. */
export function logKeySet(log: Logger, source: string, set: KeySet): void {
  const fields = { source, keys: set.size, ignored: set.ignored.slice(0, 20) };
  if (set.size === 0) log.warn(fields, 'the key set has no key that can be used');
  else log.info(fields, 'the key set is loaded');
}

/** Messages of other errors may quote what was read, so only their codes are told. */
function reasonOf(error: unknown): string {
  if (error instanceof KeySetError) return error.message;
  const { code, cause, name } = error as NodeJS.ErrnoException;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? name;
}
