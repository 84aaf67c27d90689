/**
 * Writes the state of a thread once a second: gauges cost nothing where the state changes. The timer does not keep the thread
 * running.
 */
import { getHeapStatistics } from 'node:v8';
import type { Logger } from '../log.js';
import { threadCpuTime } from '../../native/scheduling.js';
import type { MetricsPlace } from '../../messages/thread-settings.js';
import { THREAD } from './catalogue.js';
import { observeSeconds } from './histogram.js';
import { attach, thread } from './thread.js';

/** From one sample to the next, ms. */
const INTERVAL = 1_000;

/** A function that is called at each sample, and writes gauges. */
const SAMPLES = new Set<() => void>();

/** CPU time that dead threads of this block have used, seconds. */
let usedBefore = 0;

/** onSample has a function called once a second, and at once. Returns a function that ends it. */
export function onSample(sample: () => void): () => void {
  SAMPLES.add(sample);
  sample();
  return () => SAMPLES.delete(sample);
}

/**
 * beginCounting has the thread count where a scrape finds it, and samples it. To be called before anything asks for a row;
 * where the memory cannot be mapped, that is logged, and nothing is counted.
 */
export function beginCounting(place: MetricsPlace | undefined, log: Logger): void {
  if (place === undefined) return;
  try {
    attach(place);
  } catch (error) {
    log.warn({ err: error }, 'this thread is not counted for metrics');
    return;
  }
  usedBefore = thread[THREAD.cpu]!;
  let expected = performance.now() + INTERVAL;
  sampleThread();
  setInterval(() => {
    const now = performance.now();
    observeSeconds(thread, THREAD.delay, Math.max(0, now - expected) / 1_000);
    expected = now + INTERVAL;
    sampleThread();
    for (const sample of SAMPLES) sample();
  }, INTERVAL).unref();
}

function sampleThread(): void {
  thread[THREAD.cpu] = usedBefore + threadCpuTime();
  const heap = getHeapStatistics();
  thread[THREAD.heap] = heap.used_heap_size;
  thread[THREAD.external] = heap.external_memory;
}
