/** The memory that the query workers of all HTTP processes share: worker/timing/plan-times.ts, and behind it postgres/servers/known-primaries.ts. */
import type { Logger } from '../../observe/log.js';
import { createSharedMemory } from '../../native/shared-memory.js';
import { PLAN_TIMES_BYTES, PRIMARIES_BYTES } from '../../messages/worker-settings.js';

/** workerMemory returns its descriptor, for as long as the supervisor runs; undefined where the kernel has no such memory. */
export function workerMemory(log: Logger): number | undefined {
  try {
    return createSharedMemory(PLAN_TIMES_BYTES + PRIMARIES_BYTES);
  } catch (error) {
    log.warn(
      { err: error },
      'each query worker reads plans of slow statements, and finds out about primaries, by itself',
    );
    return undefined;
  }
}
