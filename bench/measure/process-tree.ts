/**
 * CPU time and memory of a process and its descendants, from /proc. The CPU time of an ended process counts while its parent
 * lives and has waited for it.
 */
import { readFileSync, readdirSync } from 'node:fs';

/** Unit of times in /proc (USER_HZ). */
const TICKS_PER_SECOND = 100;
const PAGE = 4096;
/** Fields of /proc/PID/stat, counted from the field after the name. */
const [PARENT, USER, SYSTEM, CHILD_USER, CHILD_SYSTEM] = [1, 11, 12, 13, 14];

export interface Memory {
  /** Sum of the resident bytes of all processes; shared pages count once for each. */
  readonly resident: number;
  /** The same, with shared pages divided between their processes (PSS). */
  readonly proportional: number;
}

/** treeOf is the process ids of a process and its descendants; empty when it has ended. */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>();
  let found = false;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const fields = statOf(pid);
    if (!fields) continue;
    found ||= pid === root;
    const parent = fields[PARENT]!;
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  const tree = found ? [root] : [];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** cpuSeconds is the CPU time of a tree since its processes began, in user and kernel mode. */
export function cpuSeconds(root: number): number {
  let ticks = 0;
  for (const pid of treeOf(root)) {
    const fields = statOf(pid);
    if (!fields) continue;
    for (const field of [USER, SYSTEM, CHILD_USER, CHILD_SYSTEM]) ticks += fields[field]!;
  }
  return ticks / TICKS_PER_SECOND;
}

/**
 * fineCpuSeconds is the CPU time of processes of one thread, in nanoseconds, for what hardly takes any. Their children that
 * have ended count in hundredths of a second.
 */
export function fineCpuSeconds(pids: readonly number[]): number {
  let seconds = 0;
  for (const pid of pids) {
    const fields = statOf(pid);
    const nanoseconds = readProc(`/proc/${pid}/schedstat`)?.split(' ', 1)[0];
    if (!fields || nanoseconds === undefined) continue;
    const children = fields[CHILD_USER]! + fields[CHILD_SYSTEM]!;
    seconds += Number(nanoseconds) / 1e9 + children / TICKS_PER_SECOND;
  }
  return seconds;
}

/** residentBytes is the resident memory of a tree; cheap enough under load. */
export function residentBytes(root: number): number {
  let pages = 0;
  for (const pid of treeOf(root))
    pages += Number(readProc(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0);
  return pages * PAGE;
}

/**
 * privateBytes is the anonymous resident memory of processes: of a PostgreSQL session, its own memory with plans and prepared
 * statements, without shared buffers. Cheap enough under load.
 */
export function privateBytes(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    const status = readProc(`/proc/${pid}/status`) ?? '';
    kilobytes += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return kilobytes * 1024;
}

/** memoryOf is the memory of a tree; reading the proportional memory delays the processes for a moment. */
export function memoryOf(root: number): Memory {
  let proportional = 0;
  for (const pid of treeOf(root)) {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readProc(`/proc/${pid}/smaps_rollup`) ?? '')?.[1];
    proportional += Number(kilobytes ?? 0) * 1024;
  }
  return { resident: residentBytes(root), proportional };
}

/** machineSeconds is the busy CPU time of the whole machine, including stolen time. */
export function machineSeconds(): number {
  const [user, nice, system, , , irq, softirq, steal] = readProc('/proc/stat')!
    .split('\n', 1)[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq! + steal!) / TICKS_PER_SECOND;
}

/** statOf is the numbers of /proc/PID/stat after the name, which may contain spaces and parentheses. */
function statOf(pid: number): number[] | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  return text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** readProc returns a file of /proc, undefined when its process or thread has ended. */
export function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
