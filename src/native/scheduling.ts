/** How the kernel schedules the service's processes. Refuses nothing: where it cannot be had, the default stays. */
import { addon } from './addon.js';

/**
 * batchScheduling puts this process and what it starts from now on under SCHED_BATCH (sched(7)): its threads do not
 * interrupt others when they wake. While all cores are busy, a thread that waits for PostgreSQL is then woken to
 * several results instead of one; on an idle core it runs as soon as before. Returns false where the kernel refuses.
 */
export const batchScheduling: () => boolean = addon.batchScheduling;
