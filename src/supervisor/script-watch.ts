/**
 * Hears of changes of the stored scripts, for all front ends: one connection for the whole service, beside those of
 * `pg.maxopenconn`. It only makes changes live sooner: workers look for themselves too. However often changes are told,
 * front ends hear of them a few times a second.
 */
import type { Logger } from '../log.js';
import { Listener } from '../pg/listener.js';
import type { DatabaseSettings } from '../protocol.js';

/** Where changes of stored scripts are told. */
export interface ScriptChanges {
  readonly database: DatabaseSettings;
  readonly channel: string;
  readonly payload: string;
}

/** Front ends are told once in this time at most, ms. */
const SPACING = 50;

/** ScriptWatch calls `tell` after changes, until it is stopped. */
export class ScriptWatch {
  readonly #tell: () => void;
  readonly #log: Logger;
  #changes: ScriptChanges | undefined;
  #listener: Listener | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Something changed since front ends were told last. */
  #pending = false;
  #stopped = false;

  constructor(tell: () => void, log: Logger) {
    this.#tell = tell;
    this.#log = log;
  }

  /** follow listens for the changes of other scripts from now on; of none when scripts are not stored. */
  follow(changes: ScriptChanges | undefined): void {
    if (this.#stopped || JSON.stringify(changes) === JSON.stringify(this.#changes)) return;
    this.#changes = changes;
    this.#listener?.close();
    this.#listener = changes && this.#listen(changes);
  }

  /** stop ends it for good. */
  stop(): void {
    this.#stopped = true;
    this.#listener?.close();
    clearTimeout(this.#timer);
  }

  #listen({ database, channel, payload }: ScriptChanges): Listener {
    const polled = 'changes of stored scripts are live by looking alone';
    return new Listener(database, {
      channel,
      payload,
      heard: () => this.#heard(),
      lost: (reason) => this.#log.warn(`${polled}, nobody tells of them: ${reason}`),
      back: () => this.#log.info('changes of stored scripts are told again'),
    });
  }

  #heard(): void {
    this.#pending = true;
    if (this.#timer === undefined) this.#pass();
  }

  #pass(): void {
    this.#timer = undefined;
    if (!this.#pending || this.#stopped) return;
    this.#pending = false;
    this.#timer = setTimeout(() => this.#pass(), SPACING);
    this.#tell();
  }
}
