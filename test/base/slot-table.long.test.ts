/** Numbers begin again after the last one, which a walk over all of them reaches. */
import t from 'tap';
import { SlotTable } from '#app/base/slot-table.js';

/** The last number before they begin again. */
const LAST = 0x3fff_ffff;

t.test('the end of the numbers', (t) => {
  const slots = new SlotTable<{ readonly id: number }>(1_000);
  const places = 2_048;
  const free = LAST % places;
  // All places but one are taken, so that each number given skips as many as there are places.
  for (let id = slots.nextId(); id <= places; id = slots.nextId())
    if (id % places !== free) slots.put({ id });
  t.equal(slots.size, places - 1);
  let id = slots.nextId();
  while (id < LAST) id = slots.nextId();
  t.equal(id, LAST);
  t.equal(slots.nextId(), free, 'they begin again, past what is still there');
  t.equal(slots.get(1)?.id, 1);
  t.end();
});
