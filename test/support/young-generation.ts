/**
 * Prints the size of V8's new space (bytes) after many objects have lived for a while. With an argument it is to stay small.
 */
import { getHeapSpaceStatistics } from 'node:v8';
import { keepYoungGenerationSmall } from '#app/native/memory.js';

if (process.argv.length > 2) keepYoungGenerationSmall();

const LIVING = 8;
const kept: object[][] = [];
for (let i = 0; i < 3_000; i++) {
  kept.push(Array.from({ length: 2_000 }, (_, j) => ({ i, j })));
  if (kept.length > LIVING) kept.shift();
}
const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
console.log(space?.space_size);
