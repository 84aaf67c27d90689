/** How the kernel schedules the service's processes and threads. */
import { addon } from './addon.js';

/**
 * batchScheduling puts this process, and the threads and processes that it starts later, under SCHED_BATCH (sched(7)): a
 * thread that wakes does not preempt the running one. While all cores are busy, a thread that waits for PostgreSQL then
 * finds several results instead of one; on an idle core it runs as soon as before. Returns false when the kernel rejects
 * it; the default scheduling then stays.
 */
export const batchScheduling: () => boolean = addon.batchScheduling;

/**
 * lowPriority gives this thread, and the threads that it starts later, the least share of cores that others want too (nice
 * 19); on idle cores nothing changes. Returns false when the kernel rejects it.
 */
export const lowPriority: () => boolean = addon.lowPriority;

/** threadCpuTime is how much CPU time this thread has used, seconds. */
export const threadCpuTime: () => number = addon.threadCpuTime;
