/** Numbers lead to the object they were given for and to no other, also when places are used again. */
import t from 'tap';
import { SlotTable } from '#app/base/slot-table.js';

const table = (capacity: number): SlotTable<{ readonly id: number }> => new SlotTable(capacity);

t.test('an object stays until it is removed', (t) => {
  const slots = table(4);
  const one = { id: slots.nextId() };
  t.equal(slots.put(one), undefined);
  const two = { id: slots.nextId() };
  slots.put(two);
  t.equal(slots.size, 2);
  t.equal(slots.get(one.id), one);
  t.equal(slots.get(two.id), two);
  t.same(new Set(slots.values()), new Set([one, two]));
  t.equal(slots.remove(one.id), true);
  t.equal(slots.get(one.id), undefined);
  t.equal(slots.remove(one.id), false, 'only once');
  t.equal(slots.size, 1);
  t.same(slots.values(), [two]);
  t.end();
});

t.test('ids are small, positive and not in use', (t) => {
  const slots = table(8);
  const kept = { id: slots.nextId() };
  slots.put(kept);
  const seen = new Set([kept.id]);
  for (let i = 0; i < 1_000; i++) {
    const one = { id: slots.nextId() };
    t.notOk(seen.has(one.id));
    seen.add(one.id);
    t.equal(slots.put(one), undefined, 'a free place');
    t.ok(slots.remove(one.id));
  }
  t.equal(slots.get(kept.id), kept);
  t.equal(Math.min(...seen), 1);
  t.ok(Math.max(...seen) < 1_200);
  t.end();
});

t.test('as many as announced and no more than there are places', (t) => {
  for (const capacity of [1, 2, 3, 5, 1_000]) {
    const slots = table(capacity);
    for (let i = 0; i < capacity; i++) slots.put({ id: slots.nextId() });
    t.equal(slots.size, capacity);
    t.throws(() => {
      for (let i = 0; i < 4 * capacity + 4; i++) slots.put({ id: slots.nextId() });
    }, RangeError);
    t.equal(new Set(slots.values().map(({ id }) => id)).size, slots.size);
    const [some] = slots.values();
    slots.remove(some!.id);
    slots.put({ id: slots.nextId() });
    t.throws(() => slots.nextId(), RangeError, 'full again');
  }
  t.end();
});

t.test('an old id does not find the object that has its slot now', (t) => {
  const slots = table(2);
  const old = { id: slots.nextId() };
  slots.put(old);
  slots.remove(old.id);
  let one = { id: slots.nextId() };
  while (one.id % 4 !== old.id % 4) one = { id: slots.nextId() };
  slots.put(one);
  t.equal(slots.get(old.id), undefined);
  t.equal(slots.remove(old.id), false);
  t.equal(slots.get(one.id), one);
  t.equal(slots.size, 1);
  t.end();
});

t.test('the side that gives no numbers learns whose place was taken', (t) => {
  const slots = table(2);
  const old = { id: 3 };
  t.equal(slots.put(old), undefined);
  const one = { id: 7 };
  t.equal(slots.put(one), old);
  t.equal(slots.size, 1);
  t.equal(slots.get(old.id), undefined);
  t.equal(slots.remove(old.id), false);
  t.equal(slots.get(one.id), one);
  t.end();
});
