import t from 'tap';
import { recent } from '#app/base/recent.js';

const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `key ${from + i}`);

t.test('bounded by entries', (t) => {
  const map = recent<string>({ entries: 10 });
  for (const key of keys(0, 25)) map.set(key, 'x');
  for (const key of keys(0, 15)) t.equal(map.get(key), undefined, key);
  for (const key of keys(15, 25)) t.equal(map.get(key), 'x', key);
  t.end();
});

t.test('bounded by characters', (t) => {
  const map = recent<string>({ entries: 1_000, characters: 200 }, (_key, value) => value.length);
  for (const key of keys(0, 40)) map.set(key, 'x'.repeat(9));
  for (const key of keys(0, 20)) t.equal(map.get(key), undefined, key);
  for (const key of keys(20, 40)) t.ok(map.get(key), key);
  map.set('large', 'x'.repeat(10));
  t.equal(map.get('large'), undefined, 'what would take the place of many');
  map.set('empty', '');
  t.equal(map.get('empty'), '');
  t.end();
});

t.test('what is used stays', (t) => {
  const map = recent<string>({ entries: 3, characters: 10_000 });
  map.set('used', 'x');
  for (const key of keys(0, 50)) {
    map.set(key, 'x');
    if (map.get('used') === undefined) t.fail(`dropped after ${key}`);
  }
  t.equal(map.get('key 1'), undefined);
  t.end();
});
