/** Slots are found again in what is rendered, and nothing else is taken for one. */
import t from 'tap';
import { Slots } from '#app/proof/branches/slots.js';

/** The slots of a text as `kind:key`. */
function found(slots: Slots, text: string): string[] {
  return slots.in(text).map(({ kind, key }) => `${kind}:${key}`);
}

t.test('each kind, beside any text', (t) => {
  const slots = new Slots('');
  const [value, name, number] = [slots.value('a')!, slots.name('b'), slots.number('c')];
  const CASES: [text: string, ...wanted: string[]][] = [
    ['SELECT 1'],
    [value, 'value:a'],
    [`${value}${slots.value('a', 1)}`, 'value:a', 'value:a'],
    [`x${value}1`, 'value:a'],
    [slots.low(value), 'value:a'],
    [`"${name}"`, 'name:b'],
    [`${name}1`, 'name:b'],
    [`x${name}${slots.name('d')}x`, 'name:b', 'name:d'],
    [`LIMIT ${number} OFFSET(${number} - 1)`, 'number:c', 'number:c'],
    [`${number}::int`, 'number:c'],
    [`1${number}`],
    [`${number}.5`],
    ['\uf000 slot_99_ 7319999'],
  ];
  for (const [text, ...wanted] of CASES) t.strictSame(found(slots, text), wanted, text);
  t.end();
});

t.test('none of them is in the script', (t) => {
  const text = 'SELECT slot_0_, slot__0_, 7310000, 7320000, \ue000 \ue001';
  const slots = new Slots(text);
  for (const key of ['a', 'b']) slots.value(key);
  t.strictSame(found(slots, text), []);
  const rendered = [slots.value('a'), slots.name('a'), slots.number('b')].join(' ');
  t.strictSame(found(slots, rendered), ['value:a', 'name:a', 'number:b']);
  t.end();
});

t.test('the same parameter has the same slot', (t) => {
  const slots = new Slots('');
  t.equal(slots.value('a'), slots.value('a'));
  t.not(slots.value('a'), slots.value('a', 1));
  t.not(slots.value('a'), slots.value('b'));
  t.end();
});

t.test('more parameters than there are characters', (t) => {
  const slots = new Slots('');
  const values = Array.from({ length: 4_000 }, (_, i) => slots.value(`p${i}`));
  t.equal(values.at(-1), undefined);
  const known = values.filter((value) => value !== undefined);
  t.equal(new Set(known).size, known.length);
  t.strictSame(found(slots, known.at(-1)!), [`value:p${known.length - 1}`]);
  t.end();
});
