import t from 'tap';
import { Recent } from '#app/recent.js';

const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `key ${from + i}`);

t.test('two generations, by entries', (t) => {
  const recent = new Recent<number>({ entries: 10, characters: 100_000 });
  for (const key of keys(0, 25)) recent.set(key, 1);
  for (const key of keys(0, 10)) t.equal(recent.get(key), undefined, key);
  // From the youngest on: asking moves what is old to the young ones.
  for (const key of keys(15, 25).reverse()) t.equal(recent.get(key), 1, key);
  t.end();
});

t.test('two generations, by characters', (t) => {
  const recent = new Recent<string>(
    { entries: 1_000, characters: 100 },
    (_key, value) => value.length,
  );
  for (const key of keys(0, 25)) recent.set(key, 'x'.repeat(10));
  for (const key of keys(0, 10)) t.equal(recent.get(key), undefined, key);
  for (const key of keys(15, 25).reverse()) t.ok(recent.get(key), key);
  recent.set('large', 'x'.repeat(11));
  t.equal(recent.get('large'), undefined, 'what would take the place of many');
  t.end();
});

t.test('what is used stays', (t) => {
  const recent = new Recent<number>({ entries: 3, characters: 10_000 });
  recent.set('used', 1);
  for (const key of keys(0, 50)) {
    recent.set(key, 1);
    if (recent.get('used') === undefined) t.fail(`forgotten after ${key}`);
  }
  t.equal(recent.get('key 1'), undefined);
  t.end();
});

t.test('cleared', (t) => {
  const recent = new Recent<number>({ entries: 2, characters: 10_000 });
  for (const key of keys(0, 4)) recent.set(key, 1);
  recent.clear();
  for (const key of keys(0, 4)) t.equal(recent.get(key), undefined, key);
  t.end();
});
