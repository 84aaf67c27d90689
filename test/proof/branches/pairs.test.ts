/** Renderings by pairs: each pair of options that can come together does, in few renderings. */
import t from 'tap';
import { explore } from '#app/proof/branches/exploration.js';
import { BOUNDS, compiled } from '../prove-text.js';

/** From the first rendering on. */
const PAIRS = { ...BOUNDS, paths: 1 };

async function exploring(text: string) {
  const { shapes, refused, failed, ...others } = await explore(compiled(text), PAIRS);
  const all = [...shapes.flatMap((one) => one.paths), ...[...refused, ...failed].map((one) => one.path)]; // prettier-ignore
  const pairs = new Set<string>();
  for (const path of all)
    for (const one of path)
      for (const other of path)
        pairs.add(`${one.key} ${one.option.says}, ${other.key} ${other.option.says}`);
  return { ...others, shapes, pairs };
}

function flags(count: number, text: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => text(i)).join('');
}

for (const [count, most] of [
  [5, 12],
  [13, 16],
  [30, 24],
  [60, 40],
] as const)
  // prettier-ignore
  t.test(`${count} parameters that are sent or not`, async (t) => {
    const text = flags(count, (i) => `{{if isSet "p${i}"}} ${i}{{end}}`);
    const { extent, renderings, pairs } = await exploring(text);
    t.equal(extent, 'pairs');
    const missing: string[] = [];
    const ways = ['is sent', 'is not sent'];
    for (let i = 0; i < count; i++)
      for (let j = 0; j < i; j++)
        for (const one of ways)
          for (const other of ways) {
            const pair = `p${i} ${one}, p${j} ${other}`;
            if (!pairs.has(pair)) missing.push(pair);
          }
    t.strictSame(missing, []);
    t.ok(renderings <= most, `${renderings} renderings`);
  });

t.test('options that only some renderings show', async (t) => {
  const text = flags(
    6,
    (i) => `{{if .p${i}}}{{if eq .p${i} "x"}}x{{else if eq .p${i} "y"}}y{{end}}{{end}} `,
  );
  const { extent, pairs } = await exploring(text);
  t.equal(extent, 'pairs');
  for (const one of ['is "x"', 'is "y"', 'is sent', 'is empty', 'is not sent'])
    for (const other of ['is "x"', 'is "y"', 'is empty'])
      t.ok(pairs.has(`p1 ${one}, p4 ${other}`), `${one}, ${other}`);
});

t.test('pairs that cannot come end', async (t) => {
  const text = flags(8, (i) => `{{if eq .k "${i}"}}{{if isSet "p${i}"}} ${i}{{end}}{{end}}`);
  const { extent, pairs, shapes } = await exploring(text);
  t.equal(extent, 'pairs');
  for (let i = 0; i < 8; i++) t.ok(pairs.has(`k is "${i}", p${i} is sent`));
  t.notOk(pairs.has('p1 is sent, p2 is sent'));
  t.equal(shapes.length, 9);
});

t.test('a parameter on which the others depend', async (t) => {
  const inner = flags(4, (i) => `{{if isSet "p${i}"}} ${i}{{end}}`);
  const { pairs } = await exploring(`{{if isSet "all"}}${inner}{{else}}${inner}.{{end}}`);
  for (const all of ['is sent', 'is not sent'])
    for (let i = 0; i < 4; i++) t.ok(pairs.has(`all ${all}, p${i} is not sent`));
});

t.test('5,000 parameters: as many as have room are paired', async (t) => {
  const text = flags(5_000, (i) => `{{if isSet "p${i}"}} ${i}{{end}}`);
  const { extent, renderings } = await explore(compiled(text), { ...PAIRS, pairs: 3 });
  t.equal(extent, 'part');
  t.equal(renderings, 4);
});
