/**
 * What this thread counts. Until attach, and where there is no memory to share, it is in memory of the thread alone, which
 * nobody reads: code that counts does not need to know.
 */
import { mapSharedMemory } from '../../native/shared-memory.js';
import { BLOCK_BYTES, BlockWriter } from './block.js';
import { COUNTS, THREADS } from './catalogue.js';
import type { MetricsPlace } from '../../messages/thread-settings.js';
import type { MetricTable } from './metric-table.js';

let writer = new BlockWriter();

/** counts is the row of COUNTS: the counters without labels of rows. */
export let counts = writer.row(COUNTS);

/** thread is the row of THREADS: the state of this thread. */
export let thread = writer.row(THREADS, ['', '']);

/**
 * attach has the thread count in shared memory, from the numbers that another thread left there. To be called before
 * anything asks for a row. Throws Error when the memory cannot be mapped.
 */
export function attach({ memory, block, process, thread: name }: MetricsPlace): void {
  writer = new BlockWriter(mapSharedMemory(memory, block * BLOCK_BYTES, BLOCK_BYTES));
  counts = writer.row(COUNTS);
  thread = writer.row(THREADS, [String(process), name]);
}

/** row gives the numbers of a row, see BlockWriter. */
export function row(table: MetricTable, labels: readonly string[]): Float64Array {
  return writer.row(table, labels);
}
