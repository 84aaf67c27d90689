/** The processes in a frame. */
import { quantileOf, rounded, type Counted } from './counted.js';
import type { Series } from './metrics-reader.js';

export interface ProcessRow {
  /** `supervisor`, `http_0`, … */
  readonly process: string;
  /** Two while a reload drains the old process. */
  readonly pids: readonly number[];
  /** CPU time by time: 1 is a whole core. */
  readonly cpu: number | null;
  /** Longest delay of its event loop, and of one of its query workers. */
  readonly delay: number | null;
  readonly workerDelay: number | null;
  readonly heap: number | null;
  readonly resident: number;
  readonly descriptors: number;
}

/** processRows lists the processes, in the order of the scrape. */
export function processRows(counted: Counted, seconds: number): ProcessRow[] {
  return counted.values('process_memory_usage_bytes', 'process').map((process): ProcessRow => {
    const isIts = (labels: Series['labels']): boolean => labels.get('process') === process;
    // Threads have the index of their process alone.
    const isThread = (labels: Series['labels']): boolean =>
      `http_${labels.get('process') ?? ''}` === process;
    const isWorker = (labels: Series['labels']): boolean =>
      isThread(labels) && labels.get('thread')?.startsWith('query_') === true;
    const isLoop = (labels: Series['labels']): boolean =>
      isThread(labels) && labels.get('thread') === 'http';
    const delay = 'nodejs_eventloop_delay_seconds';
    const memory = counted.series('process_memory_usage_bytes');
    const threads = counted
      .series('v8js_memory_heap_used_bytes')
      .filter(({ labels }) => isThread(labels));
    return {
      process,
      pids: memory
        .filter(({ labels }) => isIts(labels))
        .map(({ labels }) => Number(labels.get('pid'))),
      cpu:
        threads.length === 0
          ? null
          : rounded(counted.sum('service_thread_cpu_seconds_total', isThread) / seconds),
      delay: quantileOf(counted.histogram(delay, isLoop), 1),
      workerDelay: quantileOf(counted.histogram(delay, isWorker), 1),
      heap: threads.length === 0 ? null : counted.sum('v8js_memory_heap_used_bytes', isThread),
      resident: counted.sum('process_memory_usage_bytes', isIts),
      descriptors: counted.sum('process_open_file_descriptor_count', isIts),
    };
  });
}
