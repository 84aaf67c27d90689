/** The cases of public benchmarks: when they run, and what they answer. */
import t from 'tap';
import { ARENA_CASES, CASES, ids, methodOf } from '../../bench/cases.js';
import { account, fortunes, type Item } from '../../bench/data.js';
import { parseOptions } from '../../bench/options.js';

const named = (name: string) => CASES.find((one) => one.name === name)!;

t.test('they run when they are named, and in a full run', (t) => {
  const arena = [...ARENA_CASES, 'crud'];
  const cases = (args: readonly string[]): string[] =>
    parseOptions(args)!.cells.map((cell) => `${cell.case.name}@${cell.connections}`);
  const isArena = (cell: string): boolean => arena.includes(cell.split('@')[0]!);
  t.strictSame(cases([]).filter(isArena), []);
  t.strictSame(cases(['--cases', 'async-db,crud']), ['async-db@1024', 'crud@256']);
  t.strictSame(cases(['--cases', 'queries', '--concurrency', '8']), ['queries@8']);
  t.strictSame(
    new Set(
      cases(['--full'])
        .filter(isArena)
        .map((cell) => cell.split('@')[0]),
    ),
    new Set(arena),
  );
  t.end();
});

t.test('a range of prices has the items of these prices, by id', (t) => {
  const subject = named('async-db');
  for (const id of [1, 2, 99, 77_777, subject.range]) {
    const items = subject.answer(id) as Item[];
    t.strictSame(
      items.map(({ price }) => price).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => id + i),
    );
    t.strictSame(
      items,
      items.toSorted((a, b) => a.id - b.id),
    );
  }
  t.end();
});

t.test('twenty different keys', (t) => {
  for (const id of [1, 5_000, 10_000])
    t.equal(
      new Set((named('queries').answer(id) as { id: number }[]).map((row) => row.id)).size,
      20,
    );
  t.end();
});

t.test('the mix of crud', (t) => {
  const crud = named('crud');
  const methods = ids(crud, 3, crud.range).map((id) => methodOf(crud, id));
  const share = (method: string): number =>
    methods.filter((one) => one === method).length / crud.range;
  t.strictSame(['GET', 'POST', 'DELETE'].map(share), [0.75, 0.2, 0.05]);
  t.equal(methodOf(named('one'), 7), 'GET');
  t.equal(crud.part!({ rows_affected: 0 }), 'changed');
  t.strictSame(crud.part!([account(1)]), [account(1)]);
  t.end();
});

t.test('fortunes are in the order of their bytes', (t) => {
  const messages = fortunes().map(({ message }) => message);
  t.equal(messages.length, 13);
  t.equal(messages[0], 'Additional fortune added at request time.');
  t.end();
});
