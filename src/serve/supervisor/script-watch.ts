/**
 * Listens for changes of the stored scripts, for all HTTP processes: one connection for the whole service, in addition to
 * `pg.maxopenconn`. Workers poll as well; notifications only make changes live sooner. HTTP processes are notified
 * once in SPACING at most.
 */
import type { Logger } from '../../observe/log.js';
import { Listener } from '../../postgres/connection/listener.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';

/** The notifications of a table of stored scripts. */
export interface ScriptChanges {
  readonly database: DatabaseSettings;
  readonly channel: string;
  readonly payload: string;
}

/** Least time between two notifications of HTTP processes (milliseconds). */
const SPACING = 50;

export class ScriptWatch {
  readonly #notify: () => void;
  readonly #log: Logger;
  #changes: ScriptChanges | undefined;
  #listener: Listener | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a change followed the last notification. */
  #pending = false;
  #stopped = false;

  constructor(notify: () => void, log: Logger) {
    this.#notify = notify;
    this.#log = log;
  }

  /** follow listens for changes of another table, or of none when scripts are files. */
  follow(changes: ScriptChanges | undefined): void {
    if (this.#stopped || JSON.stringify(changes) === JSON.stringify(this.#changes)) return;
    this.#changes = changes;
    this.#listener?.close();
    this.#listener = changes && this.#listen(changes);
  }

  stop(): void {
    this.#stopped = true;
    this.#listener?.close();
    clearTimeout(this.#timer);
  }

  #listen({ database, channel, payload }: ScriptChanges): Listener {
    return new Listener(database, {
      channel,
      payload,
      notified: () => this.#changed(),
      lost: (reason) =>
        this.#log.warn(`changes of stored scripts are found by polling only: ${reason}`),
      restored: () => this.#log.info('notifications of stored scripts are received again'),
      unavailable: (reason) =>
        this.#log.info(
          `changes of stored scripts are found by polling only, as the server has no LISTEN: ${reason}`,
        ),
    });
  }

  #changed(): void {
    this.#pending = true;
    if (this.#timer === undefined) this.#send();
  }

  #send(): void {
    this.#timer = undefined;
    if (!this.#pending || this.#stopped) return;
    this.#pending = false;
    this.#timer = setTimeout(() => this.#send(), SPACING);
    this.#notify();
  }
}
