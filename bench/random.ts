/** Random numbers that a seed repeats (mulberry32), for simulations and for tests that must be run again alike. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** next is a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** between is a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** pick is one of the items. Throws when there are none. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.between(0, items.length - 1)]!;
  }

  /** exponential is a number of the exponential distribution with this mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** lognormal is a number of the lognormal distribution with this mean; `cv` is its standard deviation over its mean. */
  lognormal(mean: number, cv: number): number {
    if (cv === 0) return mean;
    const variance = Math.log(1 + cv * cv);
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return mean * Math.exp(Math.sqrt(variance) * normal - variance / 2);
  }
}
