/**
 * Calls that wait for a place where they run, first come first served. Taking one costs the same however many wait.
 */
import type { PluginCall } from './wire.js';

/** Places taken at the front before the rest is moved there. */
const SLACK = 1_024;

export class CallQueue {
  #calls: (PluginCall | undefined)[] = [];
  #first = 0;

  /** size is how many wait. */
  get size(): number {
    return this.#calls.length - this.#first;
  }

  push(call: PluginCall): void {
    this.#calls.push(call);
  }

  /** putBack puts calls before all others, in their order. */
  putBack(calls: readonly PluginCall[]): void {
    this.#calls = [...calls, ...this.#calls.slice(this.#first)];
    this.#first = 0;
  }

  /** shift takes the first one; undefined when there is none. */
  shift(): PluginCall | undefined {
    if (this.#first === this.#calls.length) return undefined;
    const call = this.#calls[this.#first];
    this.#calls[this.#first++] = undefined;
    if (this.#first === this.#calls.length) {
      this.#calls.length = 0;
      this.#first = 0;
    } else if (this.#first >= SLACK && this.#first * 2 >= this.#calls.length) {
      this.#calls.splice(0, this.#first);
      this.#first = 0;
    }
    return call;
  }

  /** drop takes the calls with some ids away. */
  drop(ids: ReadonlySet<number>): void {
    this.#calls = this.#calls.filter((call) => call !== undefined && !ids.has(call.id));
    this.#first = 0;
  }
}
