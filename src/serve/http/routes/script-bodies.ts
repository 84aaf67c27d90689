/**
 * What becomes of the bodies of a script's requests: whether it uses them, and how large they may be. Only workers know
 * scripts, so one of them is asked, a few times a second while the script gets bodies; its last answer is used meanwhile.
 */
import { performance } from 'node:perf_hooks';
import { Refresh } from '../../../base/refresh.js';
import type { ScriptBody } from '../../../messages/tasks.js';

/** From one question to the next, ms, and the intervals after which a request waits for the answer. */
const INTERVAL = 250;
const EXPIRY = 3;

export type BodyOf = Pick<ScriptBody, 'kept' | 'limit'>;

const UNKNOWN: BodyOf = { kept: true, limit: undefined };

export class ScriptBodies {
  #bodies: readonly ScriptBody[] | undefined;
  readonly #refresh: Refresh;

  /** `ask` asks a worker; it may reject. */
  constructor(ask: () => Promise<readonly ScriptBody[]>) {
    const task = async (): Promise<void> => {
      try {
        this.#bodies = await ask();
      } catch {
        // No worker could say; the one that gets the request will know.
      }
    };
    this.#refresh = new Refresh(task, () => INTERVAL, EXPIRY);
  }

  /** of tells what becomes of the body of a request with a method; it is kept if that is unknown. */
  of(method: string): BodyOf | Promise<BodyOf> {
    if (this.#refresh.isUsable(performance.now())) return this.#find(method);
    return this.#refresh.run().then(() => this.#find(method));
  }

  #find(method: string): BodyOf {
    const found = this.#bodies?.find((body) => body.method === method);
    return found ?? { ...UNKNOWN, kept: this.#bodies === undefined };
  }
}
