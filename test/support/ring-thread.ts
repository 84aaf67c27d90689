/** A thread that writes responses into a ring as fast as there is room. */
import { workerData } from 'node:worker_threads';
import { ResponseRing } from '#app/native/response-ring.js';
import { ringBody } from './ring-body.js';

const { memory, count } = workerData as { memory: SharedArrayBuffer; count: number };
const ring = new ResponseRing(memory);
const pause = new Int32Array(new SharedArrayBuffer(4));

for (let id = 0; id < count; id++) {
  while (!ring.write(id, 200, 0, '', ringBody(id))) {
    ring.publish();
    Atomics.wait(pause, 0, 0, 1);
  }
  if (id % 5 === 0) ring.publish();
}
ring.publish();
