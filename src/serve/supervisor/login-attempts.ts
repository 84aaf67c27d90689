/**
 * Counts failed logins in all HTTP processes, by user name and by address. An attempt counts as failed as soon as it is
 * allowed, so that simultaneous guesses cannot exceed the limit. Memory is bounded: the names and addresses whose last
 * failure is oldest are dropped first.
 */
import { performance } from 'node:perf_hooks';
import type { AttemptEnd, AttemptKeys } from '../../messages/ipc.js';
import type { LoginLimits } from '../../messages/supervisor-settings.js';

const CAPACITY = 100_000;

export class LoginAttempts {
  /** A change applies from the next attempt on. */
  limits: LoginLimits;
  readonly #capacity: number;
  readonly #now: () => number;
  /** By key, when each attempt that did not succeed was allowed; the key with the latest attempt is last. */
  readonly #failures = new Map<string, number[]>();
  #count = 0;

  /** `capacity` is the most failures remembered, `now` the clock (milliseconds). */
  constructor(
    limits: LoginLimits,
    capacity: number = CAPACITY,
    now: () => number = () => performance.now(),
  ) {
    this.limits = limits;
    this.#capacity = capacity;
    this.#now = now;
  }

  get size(): number {
    return this.#count;
  }

  /** begin counts an attempt and returns 0, or returns the wait before it (milliseconds) and does not count it. */
  begin({ user, address }: AttemptKeys): number {
    const now = this.#now();
    const { perUser, perAddress } = this.limits;
    this.#forget(now);
    const wait = Math.max(
      user === undefined ? 0 : this.#wait(userKey(user), perUser, now),
      this.#wait(addressKey(address), perAddress, now),
    );
    if (wait > 0) return wait;
    if (user !== undefined) this.#add(userKey(user), now);
    this.#add(addressKey(address), now);
    return 0;
  }

  /** end takes an attempt back. A success clears the failures of the user, but not the address's. */
  end({ user, address }: AttemptKeys, end: AttemptEnd): void {
    if (user !== undefined) {
      if (end === 'succeeded') this.#drop(userKey(user));
      else this.#takeBack(userKey(user));
    }
    this.#takeBack(addressKey(address));
  }

  /** The time until there are fewer failures than the limit (milliseconds). */
  #wait(key: string, limit: number, now: number): number {
    const times = this.#failures.get(key);
    if (times === undefined) return 0;
    const { window } = this.limits;
    const over = times.findIndex((time) => time > now - window);
    this.#count -= times.splice(0, over < 0 ? times.length : over).length;
    if (times.length < limit) return 0;
    return times[times.length - limit]! + window - now;
  }

  #add(key: string, now: number): void {
    const times = this.#failures.get(key) ?? [];
    this.#failures.delete(key); // to come last
    this.#failures.set(key, times);
    times.push(now);
    this.#count++;
    // There is room for all failures of one user and one address: failures of this attempt are never dropped.
    const { perUser, perAddress } = this.limits;
    const capacity = Math.max(this.#capacity, perUser + perAddress);
    while (this.#count > capacity) this.#drop(this.#failures.keys().next().value!);
  }

  #takeBack(key: string): void {
    const times = this.#failures.get(key);
    if (times?.pop() === undefined) return;
    this.#count--;
    if (times.length === 0) this.#failures.delete(key);
  }

  #drop(key: string): void {
    this.#count -= this.#failures.get(key)?.length ?? 0;
    this.#failures.delete(key);
  }

  /** Drops the keys whose last failure is outside the window: they are first in the map. */
  #forget(now: number): void {
    for (const [key, times] of this.#failures) {
      const last = times.at(-1);
      if (last !== undefined && last > now - this.limits.window) return;
      this.#drop(key);
    }
  }
}

const userKey = (user: string): string => `user ${user}`;
const addressKey = (address: string): string => `address ${address}`;
