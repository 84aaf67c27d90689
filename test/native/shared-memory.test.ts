/** The JavaScript binding of shared memory: errors as exceptions. native/test tests the memory itself. */
import { closeSync } from 'node:fs';
import t from 'tap';
import { createSharedMemory, mapSharedMemory } from '#app/native/shared-memory.js';

const PAGE = 65_536;

t.test('what cannot be made or mapped throws', (t) => {
  const descriptor = createSharedMemory(PAGE);
  const cases: [what: string, call: () => unknown][] = [
    ['no size', () => createSharedMemory(-1)],
    ['a fraction', () => createSharedMemory(1.5)],
    ['another value', () => createSharedMemory('1' as unknown as number)],
    ['beyond the end', () => mapSharedMemory(descriptor, PAGE, PAGE)],
    ['longer than it', () => mapSharedMemory(descriptor, 0, 2 * PAGE)],
    ['inside a page', () => mapSharedMemory(descriptor, 8, 8)],
    ['nothing', () => mapSharedMemory(descriptor, 0, 0)],
    ['no descriptor', () => mapSharedMemory(-1, 0, PAGE)],
    ['a huge descriptor', () => mapSharedMemory(2 ** 33, 0, PAGE)],
    ['another kind of file', () => mapSharedMemory(0, 0, PAGE)],
  ];
  for (const [what, call] of cases) t.throws(call, Error, what);
  closeSync(descriptor);
  t.throws(() => mapSharedMemory(descriptor, 0, PAGE), Error, 'a closed descriptor');
  t.end();
});

t.test('two mappings show the same numbers, also when the descriptor is closed', (t) => {
  const descriptor = createSharedMemory(2 * PAGE);
  const all = new Float64Array(mapSharedMemory(descriptor, 0, 2 * PAGE));
  const part = new Float64Array(mapSharedMemory(descriptor, PAGE, PAGE));
  closeSync(descriptor);
  part[3] = 1.5;
  t.equal(all[PAGE / 8 + 3], 1.5);
  t.equal(all[3], 0);
  t.end();
});
