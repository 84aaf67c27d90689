/** Answers that are too large: the rows that fit, long values cut with their length, and what to do about it. */
import t from 'tap';
import { startToolDatabase, type Selected } from './arguments/tool-database.js';

const MAX = 10_000;

const db = await startToolDatabase(t, {
  setup: `
    CREATE TABLE wide (id int PRIMARY KEY, a text, b text, c text);
    INSERT INTO wide SELECT i, repeat('x', 95), repeat('y', 95), repeat('z', 95) FROM generate_series(1, 50) i;
    CREATE TABLE long (id int PRIMARY KEY, body text, doc jsonb, list text[], bin bytea, n numeric);
    INSERT INTO long VALUES
      (1, repeat('ü"', 30000), jsonb_build_object('a', repeat('y', 30000)), array_fill('z'::text, ARRAY[30000]), repeat('a', 20000)::bytea,
        repeat('9', 30000)::numeric),
      (2, 'short', '{"b": 1}', '{c}', NULL, 12345678901234567890);
    CREATE TABLE broad (${Array.from({ length: 200 }, (_, i) => `c${i} text`).join(', ')});
    INSERT INTO broad VALUES (${new Array<string>(200).fill("repeat('x', 500)").join(', ')});
    CREATE TABLE exact (t text); INSERT INTO exact VALUES (repeat('x', ${MAX} - 10)), (repeat('x', ${MAX} - 5));`,
  settings: { maxResult: MAX },
});

type Fitted = Selected & { readonly notice?: string; readonly total?: number };

const select = async (table: string, args: object = {}): Promise<Fitted> =>
  db.select(table, { ...args });

t.test('rows that fit, and all others on the next pages', async (t) => {
  const ids: unknown[] = [];
  let offset: number | undefined = 0;
  let pages = 0;
  while (offset !== undefined) {
    const page: Fitted = await select('wide', { order_by: 'id', offset });
    const { rows, count, truncated, next_offset, notice } = page;
    t.ok(rows!.length > 0 && JSON.stringify(rows).length <= MAX);
    t.equal(count, rows!.length);
    t.equal(truncated ?? false, next_offset !== undefined);
    ids.push(...rows!.map(({ id }) => id));
    if (pages++ === 0) t.match(notice, /^Not everything fitted .* Name the columns/);
    offset = next_offset;
  }
  t.strictSame(
    ids,
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
  t.ok(pages > 1);
});

t.test('fewer columns fit at once', async (t) => {
  const { count, truncated, notice } = await select('wide', { columns: ['id'] });
  t.strictSame([count, truncated, notice], [50, undefined, undefined]);
});

t.test('long values are cut, with their length', async (t) => {
  const { rows, truncated, notice } = await select('long', { order_by: 'id' });
  const [first, second] = rows!;
  const cut = `ü"`.repeat(50);
  t.equal(first!['body'], `${cut}… (cut, 60000 characters)`);
  t.match(first!['doc'], /^\{"a": "y+… \(cut, 3\d{4} characters\)$/);
  t.match(first!['list'], /^\["z","z".*… \(cut, \d+ characters\)$/);
  t.match(first!['bin'], /^\\x6161\d+… \(cut, 40002 characters\)$/);
  t.match(first!['n'], /^9{100}… \(cut, 30000 characters\)$/);
  t.strictSame(second, {
    id: 2,
    body: 'short',
    doc: { b: 1 },
    list: ['c'],
    bin: null,
    n: '12345678901234567890',
  });
  t.equal(truncated, undefined);
  t.match(
    notice,
    /^Not everything fitted into one answer of 10000 bytes: values longer than 100 characters are cut\./,
  );
});

t.test('a total is there too', async (t) => {
  t.match(await select('wide', { total: true, filters: { id: { '<=': 40 } } }), {
    total: 40,
    truncated: true,
  });
  t.match(await select('wide', { total: true, limit: 1 }), { total: 50, count: 1, next_offset: 1 });
  t.match(await select('wide', { total: true, filters: { id: 0 } }), { total: 0, rows: [] });
});

t.test('a row that does not fit in any case', async (t) => {
  t.match(await select('broad'), {
    error: 'the result is larger than 10000 bytes. Name fewer columns.',
  });
  t.match(await select('broad', { columns: ['c0'] }), { count: 1 });
});

t.test('the limit is exact', async (t) => {
  const whole = async (length: number): Promise<boolean> => {
    const { rows, notice } = await select('exact', { filters: { t: 'x'.repeat(length) } });
    return notice === undefined && rows?.[0]!['t'] === 'x'.repeat(length);
  };
  t.ok(await whole(MAX - 10));
  t.notOk(await whole(MAX - 5));
});
