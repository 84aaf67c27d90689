/**
 * Which methods of a script use a body. Only workers know scripts, so one of them is asked, a few times a second while the
 * script gets bodies; what it said last is used meanwhile.
 */
import { performance } from 'node:perf_hooks';
import { Refresh } from '../refresh.js';

/** From one question to the next, ms, and the intervals after which a request waits for the answer. */
const INTERVAL = 250;
const EXPIRY = 3;

export class ScriptBodies {
  #methods: readonly string[] | undefined;
  readonly #refresh: Refresh;

  /** `ask` asks a worker; it may reject. */
  constructor(ask: () => Promise<readonly string[]>) {
    const task = async (): Promise<void> => {
      try {
        this.#methods = await ask();
      } catch {
        // No worker could say; the one that gets the request will know.
      }
    };
    this.#refresh = new Refresh(task, () => INTERVAL, EXPIRY);
  }

  /** uses tells whether the script uses the body of a request with a method, also if that is unknown. */
  uses(method: string): boolean | Promise<boolean> {
    if (this.#refresh.isUsable(performance.now())) return this.#has(method);
    return this.#refresh.run().then(() => this.#has(method));
  }

  #has(method: string): boolean {
    return this.#methods?.includes(method) ?? true;
  }
}
