/** The memory in which the query workers of all HTTP processes keep when they have read plans (query/plan-times.ts). */
import type { Logger } from '../log.js';
import { createSharedMemory } from '../native/shared-memory.js';
import { PLAN_TIMES_BYTES } from '../settings.js';

/** planMemory returns its descriptor, for as long as the supervisor runs; undefined where the kernel has no such memory. */
export function planMemory(log: Logger): number | undefined {
  try {
    return createSharedMemory(PLAN_TIMES_BYTES);
  } catch (error) {
    log.debug({ err: error }, 'each query worker reads plans of slow statements by itself');
    return undefined;
  }
}
