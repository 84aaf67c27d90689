/**
 * CPU time and memory of a process and its descendants, measured with known loads.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import {
  cpuSeconds,
  fineCpuSeconds,
  memoryOf,
  privateBytes,
  residentBytes,
  treeOf,
} from '../../bench/measure/process-tree.js';

/** A process whose child uses 0.5 s of CPU and ends, and which then allocates 64 MiB. */
const PARENT = `
const burn = 'while (process.cpuUsage().user + process.cpuUsage().system < 500000);';
require('node:child_process').spawnSync(process.execPath, ['-e', burn]);
globalThis.held = Buffer.alloc(64 * 1024 ** 2, 1);
console.log('done');
setInterval(() => {}, 1000);
`;

t.test('the CPU time of an ended child, and the memory of a running process', async (t) => {
  const child = spawn(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'inherit'] });
  // Its CPU time counts for this process once it is waited for: not while a later test measures.
  t.teardown(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const before = cpuSeconds(process.pid);
  await once(child.stdout, 'data');
  const pid = child.pid!;
  t.ok(treeOf(process.pid).includes(pid), 'a child is in the tree of its parent');
  t.ok(cpuSeconds(pid) >= 0.5);
  t.ok(fineCpuSeconds([pid]) >= 0.5);
  t.ok(cpuSeconds(process.pid) - before >= 0.4);
  const memory = memoryOf(pid);
  t.ok(residentBytes(pid) > 64 * 1024 ** 2);
  t.ok(memory.proportional > 64 * 1024 ** 2);
  t.ok(memory.proportional <= memory.resident);
  t.ok(privateBytes([pid]) > 64 * 1024 ** 2);
  t.ok(privateBytes([pid]) < residentBytes(pid), 'the code of the program is a file');
});

t.test('a process that does not exist has no tree', async (t) => {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');
  t.strictSame(treeOf(child.pid!), []);
  t.equal(cpuSeconds(child.pid!), 0);
  t.equal(fineCpuSeconds([child.pid!]), 0);
  t.equal(privateBytes([child.pid!]), 0);
});

t.test('CPU time below a hundredth of a second', async (t) => {
  const before = fineCpuSeconds([process.pid]);
  for (const start = process.cpuUsage(); process.cpuUsage(start).user < 2_000;);
  await sleep(1); // the kernel has counted all of it once the thread sleeps
  const spent = fineCpuSeconds([process.pid]) - before;
  t.ok(spent >= 0.001 && spent < 0.05, `${spent} s`);
});
