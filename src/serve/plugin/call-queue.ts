/** Plugin calls that wait for the backend: a queue whose shift takes constant time. */
import type { PluginCall } from './wire.js';

/** Emptied entries at the front before the array is compacted. */
const SLACK = 1_024;

export class PluginCallQueue {
  #calls: (PluginCall | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#calls.length - this.#first;
  }

  push(call: PluginCall): void {
    this.#calls.push(call);
  }

  /** putBack inserts calls before all others, in their order. */
  putBack(calls: readonly PluginCall[]): void {
    this.#calls = [...calls, ...this.#calls.slice(this.#first)];
    this.#first = 0;
  }

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

  drop(ids: ReadonlySet<number>): void {
    this.#calls = this.#calls.filter((call) => call !== undefined && !ids.has(call.id));
    this.#first = 0;
  }
}
