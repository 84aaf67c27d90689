/** Releases a heap that is mostly garbage; as the program of a worker thread, it posts the sizes. */
import v8 from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { releaseMemory } from '#app/native/memory.js';

const size = (): number => v8.getHeapStatistics().total_heap_size;

/** heapsAround fills the heap of this thread, and returns its size before and after the release. */
export function heapsAround(): [before: number, after: number] {
  let filled: unknown[] = Array.from({ length: 500_000 }, (_, i) => ({ i, text: `${i}` }));
  const before = size();
  filled = filled.slice(0, 1);
  releaseMemory();
  return [before, size() - filled.length];
}

parentPort?.postMessage(heapsAround());
