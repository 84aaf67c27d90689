/**
 * The connections of a query worker to each of its servers, in memory that it shares with its HTTP process and with the prover:
 * how many are allowed, how many are open, and how many of those allowed are lent to the prover.
 */
const NUMBERS = 3;
const OPEN = 1;
const LENT = 2;

export class ServerConnections {
  readonly #shared: Int32Array;
  readonly #at: number;

  /** `shared` is WorkerSettings.connections, `index` the place of the server in allServers. */
  constructor(shared: Int32Array, index: number) {
    this.#shared = shared;
    this.#at = index * NUMBERS;
  }

  /** memoryFor makes the memory for so many servers. */
  static memoryFor(servers: number): SharedArrayBuffer {
    return new SharedArrayBuffer(servers * NUMBERS * Int32Array.BYTES_PER_ELEMENT);
  }

  get allowed(): number {
    return Atomics.load(this.#shared, this.#at);
  }

  set allowed(allowed: number) {
    Atomics.store(this.#shared, this.#at, allowed);
  }

  get open(): number {
    return Atomics.load(this.#shared, this.#at + OPEN);
  }

  count(by: number): void {
    Atomics.add(this.#shared, this.#at + OPEN, by);
  }

  /** closed is for a thread that starts: the connections of a thread before it are closed. */
  closed(): void {
    Atomics.store(this.#shared, this.#at + OPEN, 0);
  }

  get lent(): number {
    return Atomics.load(this.#shared, this.#at + LENT);
  }

  /** lend sets how many are lent, and tells whether that is another number. */
  lend(lent: number): boolean {
    return Atomics.exchange(this.#shared, this.#at + LENT, lent) !== lent;
  }
}
