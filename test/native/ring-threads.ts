/** A thread that writes responses into a ring while this one reads them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Test } from 'tap';
import { createRing, ResponseReader } from '#app/native/response-ring.js';
import { ringBody } from '../support/ring-body.js';

/** threadsTest makes the test of a number of responses: each arrives once, whole and in its place. */
export function threadsTest(t: Test, count: number): void {
  t.test(`two threads at a time, ${count} responses`, async (t) => {
    const memory = createRing();
    const reader = new ResponseReader(memory);
    const worker = new Worker(new URL('../support/ring-thread.js', import.meta.url), {
      workerData: { memory, count },
    });
    let next = 0;
    let wrong = 0;
    while (next < count) {
      reader.read(undefined, (id, _status, _type, _lines, body) => {
        const bytes = body as Uint8Array;
        const wanted = ringBody(id);
        const right = bytes.length === wanted.length && bytes.at(-1) === wanted.charCodeAt(0);
        if (id !== next || (!right && wanted !== '')) wrong++;
        next = id + 1;
      });
      await nextTurn();
    }
    t.equal(wrong, 0);
    await worker.terminate();
  });
}
