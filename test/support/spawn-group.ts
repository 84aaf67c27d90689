/** Programs of tests as process groups. None outlives its test, nor the test's process, however that ends. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Test } from 'tap';

/** What is used of a test. */
export type TestEnd = Pick<Test, 'teardown'> & Partial<Pick<Test, 'passing'>>;

/** Reads which groups begin and end, and kills those left when its standard input ends. */
const GUARD = `
trap '' INT HUP TERM QUIT
groups=
while read -r word group; do
  case $word in
    begin) groups="$groups $group" ;;
    end)
      left=
      for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done
      groups=$left ;;
  esac
done
for each in $groups; do kill -s KILL -- "-$each"; done
`;

let input: Writable | undefined;

/** spawnGroup starts a program as the leader of a process group, which is killed when the test or its process ends. */
export function spawnGroup(
  t: TestEnd,
  [program = '', ...args]: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const guard = (input ??= startGuard());
  const child = spawn(program, args, { ...options, detached: true });
  const { pid } = child;
  if (pid === undefined) return child; // it emits an error
  guard.write(`begin ${pid}\n`);
  let ended = false;
  child.once('close', () => {
    ended = true;
    guard.write(`end ${pid}\n`);
  });
  t.teardown(() => {
    if (!ended) killGroup(pid);
  });
  return child;
}

/** killGroup kills what is left of a process group. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing is left of it
  }
}

/** A group of its own too: it is to outlive a terminal's signals. It keeps this process from nothing. */
function startGuard(): Writable {
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const guard = spawn('/bin/sh', ['-c', GUARD], { stdio: [...stdio], detached: true });
  guard.unref();
  const { stdin } = guard;
  if (stdin instanceof Socket) stdin.unref();
  return stdin;
}
