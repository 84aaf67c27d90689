/**
 * A key set that may change: loaded at start, periodically beside the requests, and when a token names a missing key, but
 * then no more often than the cooldown allows. The last good set stays in use while loading fails; it may come from the
 * process before. The first failure of an outage and its end are logged.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../observe/log.js';
import { KEY_SET_LOADS } from '../../observe/metrics/catalogue.js';
import { counts } from '../../observe/metrics/thread.js';
import { Poller } from '../../base/poller.js';
import { KeySetError, parseKeySet, type KeySet } from './key-set.js';

/** How a key set is loaded. Times are milliseconds. */
export interface KeySetSourceOptions {
  /** Its name in the log. */
  readonly name: string;
  readonly algorithm: string;
  /** Loads the text; may reject, and should when the signal aborts. */
  readonly load: (signal: AbortSignal) => Promise<string>;
  /** Between loads; up to a fifth is added, so that many processes do not load at once. */
  readonly interval: number;
  /** Least time between loads because of tokens, and between loads while they fail. */
  readonly cooldown: number;
  /** Most time of one load. */
  readonly timeout: number;
  readonly log: Logger;
  /** The text that was loaded last from the same place: used until there is a new one. */
  readonly last: string | undefined;
  /** Called with the text of each set that differs from the one before. */
  readonly onChange: (text: string) => void;
  /** Called when a key of the set before is missing or different. */
  readonly onLoss: () => void;
}

/** KeySetSource loads from its construction until close. */
export class KeySetSource {
  readonly #options: KeySetSourceOptions;
  readonly #poller: Poller;
  #current: KeySet | undefined;
  #text: string | undefined;
  #failing = false;
  #abort: ((reason: KeySetError) => void) | undefined;

  constructor(options: KeySetSourceOptions) {
    this.#options = options;
    if (options.last !== undefined) this.#resume(options.last);
    this.#poller = new Poller(
      () => this.#load(),
      () => (this.#failing ? options.cooldown : options.interval) * (1 + Math.random() / 5),
    );
    void this.#poller.run();
  }

  /** The last good set; undefined before there was one. */
  get current(): KeySet | undefined {
    return this.#current;
  }

  /** Whether there is no set yet because the first load has not ended. */
  get starting(): boolean {
    return this.#current === undefined && this.#poller.ended === -Infinity;
  }

  /**
   * refresh loads the set because of a token, unless a load ended less than `cooldown` ago. Where there is a set, most
   * tokens with an unknown key are invented: they wait for a fifth of `timeout` at most, and it resolves to false if the load
   * goes on then.
   */
  async refresh(): Promise<boolean> {
    const { running, stopped, ended } = this.#poller;
    const { cooldown, timeout } = this.#options;
    const early = performance.now() - ended < cooldown;
    if (!running && (early || stopped)) return true;
    const loaded = this.#poller.run().then(() => true);
    if (this.#current === undefined) return loaded;
    return Promise.race([loaded, sleep(timeout / 5, false, { ref: false })]);
  }

  /** close aborts a load in progress. */
  close(): void {
    this.#poller.stop();
    this.#abort?.(new KeySetError('the service stops'));
  }

  #resume(text: string): void {
    const { algorithm, name, log } = this.#options;
    this.#current = parseKeySet(text, algorithm);
    this.#text = text;
    log.info({ source: name, keys: this.#current.size }, 'the last key set is used until it loads');
  }

  async #load(): Promise<void> {
    try {
      this.#take(await this.#limited());
      counts[KEY_SET_LOADS.succeeded]! += 1;
    } catch (error) {
      if (this.#poller.stopped) return;
      counts[KEY_SET_LOADS.failed]! += 1;
      this.#fail(error);
    }
  }

  /** The time limit does not depend on the loader: a read from a disk that hangs ignores its signal. */
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

/** logKeySet logs how many keys a key set has; a warning when none of them can be used. */
export function logKeySet(log: Logger, source: string, set: KeySet): void {
  const fields = { source, keys: set.size, ignored: set.ignored.slice(0, 20) };
  if (set.size === 0) log.warn(fields, 'the key set has no key that can be used');
  else log.info(fields, 'the key set is loaded');
}

/** Messages of other errors may quote what was read, so only their codes are logged. */
function reasonOf(error: unknown): string {
  if (error instanceof KeySetError) return error.message;
  const { code, cause, name } = error as NodeJS.ErrnoException;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? name;
}
