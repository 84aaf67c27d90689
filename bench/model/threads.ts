/**
 * CPU time and sleeps of the threads of processes, from /proc: nanoseconds, where the CPU time of whole processes has
 * hundredths of a second only.
 */
import { readdirSync } from 'node:fs';
import { readProc } from '../measure/process-tree.js';

export interface Work {
  /** CPU time, seconds. */
  readonly cpu: number;
  /** Number of times that a thread waited for something to do. */
  readonly sleeps: number;
}

export const NONE: Work = { cpu: 0, sleeps: 0 };

/** threadsOf is the work of each thread of a process by its id; that of the main thread is the id of the process. */
export function threadsOf(pid: number): Map<number, Work> {
  const result = new Map<number, Work>();
  for (const name of list(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${name}`;
    const nanoseconds = Number((readProc(`${folder}/schedstat`) ?? '').split(' ', 1)[0]);
    const sleeps = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(
      readProc(`${folder}/status`) ?? '',
    )?.[1];
    if (sleeps !== undefined) {
      result.set(Number(name), { cpu: nanoseconds / 1e9, sleeps: Number(sleeps) });
    }
  }
  return result;
}

export function sum(all: readonly Work[]): Work {
  let [cpu, sleeps] = [0, 0];
  for (const work of all) {
    cpu += work.cpu;
    sleeps += work.sleeps;
  }
  return { cpu, sleeps };
}

/** since is the work of threads since `before`, without those that have ended. */
export function since(before: ReadonlyMap<number, Work>, after: ReadonlyMap<number, Work>): Work {
  return sum(
    [...after].map(([id, { cpu, sleeps }]) => {
      const was = before.get(id) ?? NONE;
      return { cpu: cpu - was.cpu, sleeps: sleeps - was.sleeps };
    }),
  );
}

/** commandOf is the name of the program of a process, empty when it has ended. */
export function commandOf(pid: number): string {
  return (readProc(`/proc/${pid}/comm`) ?? '').trim();
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
