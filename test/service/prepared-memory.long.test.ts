/** What callers can make PostgreSQL keep by long values, and by many. */
import t from 'tap';
import { minus, testMemory } from './hostile-values.js';

t.test('hostile values, each sent several times', (t) =>
  testMemory(t, [
    ['long values', 's/integer', 40, minus('a', 8000)],
    ['values just short enough to be prepared', 's/integer', 40, minus('a', 3900)],
    ['values with a cast at each operator', 's/numeric', 40, minus('s', 3900)],
    ['values of all lengths', 's/numeric', 200, (i) => minus('s', 30 * i)(i)],
    ['texts of 64 KB, the last of which is kept too', 's/eight', 20, minus('s', 7900)],
    ['many short values', 's/integer', 400, minus('a', 1000)],
  ]),
);
