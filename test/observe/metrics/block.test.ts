/** Rows of a thread: those of full tables, of a thread that replaces another one, and of labels of every kind. */
import t from 'tap';
import { BLOCK_BYTES, BlockReader, BlockWriter } from '#app/observe/metrics/block.js';
import { COUNTS, HTTP, ROUTES, SCRIPTS, TOKENS } from '#app/observe/metrics/catalogue.js';

t.test('a full table counts the rest as other, and never more rows than it has', (t) => {
  const memory = new ArrayBuffer(BLOCK_BYTES);
  const writer = new BlockWriter(memory);
  const reader = new BlockReader(memory, 0);
  for (let i = 0; i < 3_000; i++) writer.row(SCRIPTS, [`shop/s${i}`, 'main'])[0]! += 1;
  const rows = reader.rows(SCRIPTS);
  t.equal(rows.length, SCRIPTS.capacity - SCRIPTS.reserved + 1);
  const other = rows.filter(({ labels }) => labels[0] === 'other');
  t.same(
    other.map(({ labels, values }) => [...labels, values[0]]),
    [['other', 'main', 1_000]],
  );
  for (let i = 0; i < 10_000; i++) writer.row(ROUTES, ['GET', 'other', String(i)])[0]! += 1;
  for (let i = 0; i < 10_000; i++) writer.row(ROUTES, ['GET', '/a', String(i)])[0]! += 1;
  const routes = reader.rows(ROUTES);
  t.equal(routes.length, ROUTES.capacity);
  t.equal(
    routes.reduce((total, { values }) => total + values[0]!, 0),
    20_000,
    'and none is lost',
  );
  t.end();
});

t.test('a thread that replaces another one goes on counting, without its gauges', (t) => {
  const memory = new ArrayBuffer(BLOCK_BYTES);
  const first = new BlockWriter(memory);
  first.row(SCRIPTS, ['shop/one', 'main'])[0]! += 5;
  first.row(COUNTS)[TOKENS.verified]! += 2;
  first.row(COUNTS)[HTTP.active] = 7;
  const second = new BlockWriter(memory);
  t.equal(second.row(COUNTS)[HTTP.active], 0);
  second.row(SCRIPTS, ['shop/one', 'main'])[0]! += 1;
  second.row(SCRIPTS, ['shop/two', 'main'])[0]! += 1;
  second.row(COUNTS)[TOKENS.verified]! += 1;
  const reader = new BlockReader(memory, 0);
  t.same(
    reader.rows(SCRIPTS).map(({ labels, values }) => [labels[0], values[0]]),
    [
      ['shop/one', 6],
      ['shop/two', 1],
    ],
  );
  t.equal(reader.rows(COUNTS)[0]!.values[TOKENS.verified], 3);
  t.end();
});

t.test('labels', (t) => {
  const memory = new ArrayBuffer(2 * BLOCK_BYTES);
  const writer = new BlockWriter(memory);
  const long = `shop/${'é'.repeat(400)}`;
  for (const script of ['', 'shop/刘', 'a"b\\c\n', long]) writer.row(SCRIPTS, [script, 'main']);
  const names = new BlockReader(memory, 0).rows(SCRIPTS).map(({ labels }) => labels[0]);
  t.same(names.slice(0, 3), ['', 'shop/刘', 'a"b\\c\n']);
  t.ok(long.startsWith(names[3]!) && names[3]!.length > 100, 'a long one is cut off');
  t.same(new BlockReader(memory, BLOCK_BYTES).rows(SCRIPTS), [], 'the next block has none');
  t.end();
});

t.test('without memory rows are those of the thread alone', (t) => {
  const writer = new BlockWriter();
  const row = writer.row(SCRIPTS, ['shop/one', 'main']);
  t.equal(writer.row(SCRIPTS, ['shop/one', 'main']), row);
  t.equal(row.length, SCRIPTS.length);
  t.end();
});
