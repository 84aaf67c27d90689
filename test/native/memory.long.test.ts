import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { onceIdle } from '#app/native/memory.js';
import { heapsAround } from '../support/released-heap.js';
import { until } from '../support/until.js';

const MIB = 1 << 20;

t.test('a release shrinks the heap of the calling thread', (t) => {
  const [before, after] = heapsAround();
  t.ok(before - after > 16 * MIB, `${before} to ${after}`);
  t.end();
});

t.test('a worker thread releases its own heap', async (t) => {
  const worker = new Worker(new URL('../support/released-heap.js', import.meta.url));
  const [[before, after]] = (await once(worker, 'message')) as [[number, number]];
  t.ok(before - after > 16 * MIB, `${before} to ${after}`);
});

t.test('a small young generation stays small', (t) => {
  const program = fileURLToPath(new URL('../support/young-generation.js', import.meta.url));
  const sizes = [[], ['small']].map((args) =>
    Number(execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })),
  );
  const [usual = 0, small = 0] = sizes;
  t.ok(usual > 16 * MIB, `${usual}`);
  t.ok(small < 4 * MIB, `${small}`);
  t.end();
});

const MS = 1_000;
const TABLE: readonly [name: string, cpuTimes: readonly number[], readings: number][] = [
  ['a process that idles from the start', [70 * MS, 70 * MS], 2],
  ['some work counts as idle', [0, 19 * MS], 2],
  ['as much as this does not', [0, 20 * MS, 39 * MS], 3],
  ['a busy process', [0, 250 * MS, 500 * MS, 501 * MS], 4],
];
for (const [name, cpuTimes, readings] of TABLE)
  t.test(`the action waits until the process idles: ${name}`, async (t) => {
    let read = 0;
    let readAtCall: number | undefined;
    onceIdle(
      () => {
        t.equal(readAtCall, undefined, 'called once');
        readAtCall = read;
      },
      () => {
        t.ok(read < cpuTimes.length, 'not read after the call');
        return cpuTimes[read++]!;
      },
    );
    // It does not keep the process alive, but `until` does.
    t.equal(await until(() => readAtCall), readings);
  });
