/**
 * Keeps the memory of threads small. Compiling and running the modules of a thread leaves garbage, and room for as much
 * again, that make up a third of an idle service: it is returned to the kernel once the thread has started.
 */
import { setFlagsFromString } from 'node:v8';
import { addon } from './addon.js';

/** Time between two readings of the CPU time (milliseconds). */
const INTERVAL = 1_000;

/** A process idles that uses less CPU time than this in an interval (microseconds): some forty requests use as much. */
const IDLE = 20_000;

/**
 * releaseMemory collects the garbage of the calling thread, shrinks its heap and trims malloc's arenas. It blocks the
 * thread for some 30 ms.
 */
export const releaseMemory: () => void = addon.releaseMemory;

/**
 * keepYoungGenerationSmall has V8 leave the new space of this process at its first size, 2 or 3 MiB, instead of letting it
 * grow to 32 or 64 MiB: for processes where the time of garbage collections does not matter.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Whether the calling thread waits for that. */
let waiting = false;

/** releaseOnceIdle has the calling thread release its memory once the process idles. */
export function releaseOnceIdle(log?: { debug(message: string): void }): void {
  if (waiting) return;
  waiting = true;
  onceIdle(() => {
    waiting = false;
    releaseMemory();
    log?.debug('released the memory of the start');
  });
}

/**
 * onceIdle calls `action` once, after the first interval in which the whole process was idle. It does not keep the process
 * alive. `cpuTime` is the CPU time that the process has used (microseconds).
 */
export function onceIdle(action: () => void, cpuTime = cpuTimeOfProcess): void {
  let before = cpuTime();
  const timer = setInterval(() => {
    const now = cpuTime();
    const idle = now - before < IDLE;
    before = now;
    if (!idle) return;
    clearInterval(timer);
    action();
  }, INTERVAL).unref();
}

function cpuTimeOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
