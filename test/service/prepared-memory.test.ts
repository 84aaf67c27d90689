/** What callers can make PostgreSQL keep: the memory of every backend after hostile values in interpolated places. */
import t from 'tap';
import { minus, testMemory } from './hostile-values.js';

t.test('hostile values, each sent several times', (t) =>
  testMemory(t, [
    ['writes', 's/rows', 40, minus('s', 3900), 'POST'],
    [
      'lists',
      's/list',
      40,
      (i) => Array.from({ length: 900 }, (_, at) => at * 100 + i).join('&v='),
    ],
  ]),
);
