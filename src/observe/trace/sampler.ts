/**
 * Decides, as a request arrives, whether its spans are kept: its caller has decided, or a part of all others is. A caller
 * whose flag is not set has decided too. What callers ask for is bounded, so that none can flood the collector.
 */
import type { TraceSettings } from '../../messages/thread-settings.js';
import { callerTrace } from './trace-context.js';
import { RateLimit } from './rate-limit.js';

/** Where the last digit of the flags is in a `traceparent`. */
const FLAGS_END = 54;

export class Sampler {
  readonly #ratio: number;
  /** Undefined when callers decide nothing. */
  readonly #callers: RateLimit | undefined;

  constructor({ ratio, callers }: Pick<TraceSettings, 'ratio' | 'callers'>) {
    this.#ratio = ratio;
    this.#callers = callers === 0 ? undefined : new RateLimit(callers);
  }

  /** samples decides about a request with this `traceparent`, empty for none, at time `now`, ms. */
  samples(traceparent: string, now: number): boolean {
    const drawn = Math.random() < this.#ratio;
    if (traceparent === '' || this.#callers === undefined) return drawn;
    // Most requests that are not kept end here: only what may be kept is read.
    if (!drawn && (!mayBeSampled(traceparent) || this.#callers.isReached(now))) return false;
    const caller = callerTrace(traceparent);
    if (caller === undefined) return drawn;
    return caller.sampled && this.#callers.take(now);
  }
}

/** Whether the last digit of the flags is odd, if it is a digit. */
function mayBeSampled(traceparent: string): boolean {
  const digit = traceparent.charCodeAt(FLAGS_END);
  // The letters a to f have the codes 97 to 102: a is 10.
  return (digit >= 97 ? digit - 87 : digit) % 2 === 1;
}
