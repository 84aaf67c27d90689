/**
 * What a process and all its descendants have used, from Linux's /proc. A process that ended counts for as long as its
 * parent lives and has waited for it.
 */
import { readFileSync, readdirSync } from 'node:fs';

/** Linux gives times in these to every program, whatever its own clock. */
const TICKS_PER_SECOND = 100;
const PAGE = 4096;
/** Fields of /proc/PID/stat, counted from the one after the name. */
const [PARENT, USER, SYSTEM, CHILD_USER, CHILD_SYSTEM] = [1, 11, 12, 13, 14];

export interface Memory {
  /** Bytes resident, summed over the processes: pages that they share count once for each. */
  readonly resident: number;
  /** The same, where a shared page is shared out over those that use it. */
  readonly proportional: number;
}

/** treeOf is the process ids of a process and its descendants; empty when it is gone. */
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

/** residentBytes is the resident memory of a tree, cheap enough to be read under load. */
export function residentBytes(root: number): number {
  let pages = 0;
  for (const pid of treeOf(root)) pages += Number(read(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0);
  return pages * PAGE;
}

/**
 * privateBytes is the resident memory of processes that no file and no shared memory is behind: of PostgreSQL's sessions
 * what each holds by itself, plans and prepared statements among it, without the buffers that all share. Cheap as well.
 */
export function privateBytes(pids: readonly number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    const status = read(`/proc/${pid}/status`) ?? '';
    kilobytes += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return kilobytes * 1024;
}

/** memoryOf is the memory of a tree; reading the proportional one holds the processes up for a moment. */
export function memoryOf(root: number): Memory {
  let proportional = 0;
  for (const pid of treeOf(root)) {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1];
    proportional += Number(kilobytes ?? 0) * 1024;
  }
  return { resident: residentBytes(root), proportional };
}

/** machineSeconds is the CPU time that the whole machine has spent on anything, what its host took away included. */
export function machineSeconds(): number {
  const [user, nice, system, , , irq, softirq, steal] = read('/proc/stat')!
    .split('\n', 1)[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user! + nice! + system! + irq! + softirq! + steal!) / TICKS_PER_SECOND;
}

/** statOf is the numbers of /proc/PID/stat after the name, which may hold spaces and parentheses. */
function statOf(pid: number): number[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** read is a file of /proc, or undefined when its process has ended. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
