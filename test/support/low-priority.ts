/** A thread that gives itself a low priority, and tells the file of its state until it gets a message. */
import { realpathSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { lowPriority } from '#app/native/scheduling.js';

if (!lowPriority()) throw new Error('the kernel refuses');
parentPort!.once('message', () => undefined);
parentPort!.postMessage(`${realpathSync('/proc/thread-self')}/stat`);
