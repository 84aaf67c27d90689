/** Counters never go back, whatever threads and processes come and go; the rows of all of them are bounded. */
import t from 'tap';
import { BLOCK_BYTES, BlockReader, BlockWriter } from '#app/observe/metrics/block.js';
import { COUNTS, HTTP, PROOFS, SCRIPTS, TOKENS } from '#app/observe/metrics/catalogue.js';
import { familiesOf } from '#app/observe/metrics/families.js';
import { Retired, type Totals } from '#app/observe/metrics/totals.js';

interface Block {
  readonly writer: BlockWriter;
  readonly reader: BlockReader;
}

function block(): Block {
  const memory = new ArrayBuffer(BLOCK_BYTES);
  return { writer: new BlockWriter(memory), reader: new BlockReader(memory, 0) };
}

/** The value of a field of COUNTS; undefined when there is no such sample. */
function value(totals: Totals, name: string, label?: string): unknown {
  const family = familiesOf(totals).find((one) => one.name === name);
  return family?.samples.find(({ labels }) => labels[0]?.[1] === label)?.value;
}

t.test('processes that end', (t) => {
  const retired = new Retired();
  const [a, b] = [block(), block()];
  for (const { writer } of [a, b]) {
    writer.row(COUNTS)[TOKENS.verified] = 10;
    writer.row(COUNTS)[HTTP.active] = 3;
    writer.row(COUNTS)[PROOFS.proved] = 8;
  }
  const read = (running: Block[]): unknown[] => {
    const totals = retired.with(running.map(({ reader }) => reader));
    return [
      value(totals, 'service_auth_tokens', 'verified'),
      value(totals, 'http_server_active_requests'),
      value(totals, 'service_proofs', 'proved'),
    ];
  };
  t.same(read([a, b]), [20, 6, 8], 'gauges are added up, or the largest is taken');
  retired.add([a.reader]);
  t.same(read([b]), [20, 3, 8]);
  retired.add([b.reader]);
  t.same(read([]), [20, undefined, undefined], 'gauges end with the last one');
  const c = block();
  c.writer.row(COUNTS)[TOKENS.verified] = 1;
  t.same(read([c]), [21, 0, 0]);
  t.end();
});

t.test('sums of times do not go back by rounding', (t) => {
  const retired = new Retired();
  const running = Array.from({ length: 40 }, (_, i) => {
    const one = block();
    // Fractions that are not exact, of very different sizes.
    for (let n = 0; n <= i; n++)
      one.writer.row(SCRIPTS, ['s', 'main']).fill(0.1 + 1e3 ** (n % 3) / 3);
    return one;
  });
  const read = (): Float64Array => {
    const [row] = retired.with(running.map(({ reader }) => reader)).rows(SCRIPTS);
    return row!.values.slice();
  };
  let before = read();
  while (running.length > 0) {
    // From the middle, so that the order changes in which they are added up.
    const [ended] = running.splice(running.length >> 1, 1);
    retired.add([ended!.reader]);
    const after = read();
    t.ok(
      after.every((value, i) => value >= before[i]!),
      `${running.length} left`,
    );
    before = after;
  }
  t.end();
});

t.test('the names of all processes together are bounded', (t) => {
  const retired = new Retired();
  let before = 0;
  for (let generation = 0; generation < 5; generation++) {
    const { writer, reader } = block();
    for (let i = 0; i < 1_000; i++) writer.row(SCRIPTS, [`g${generation}/s${i}`, 'main'])[0]! += 1;
    const running = [...retired.with([reader]).rows(SCRIPTS)];
    retired.add([reader]);
    const rows = [...retired.with([]).rows(SCRIPTS)];
    t.ok(rows.length <= SCRIPTS.capacity + 1);
    t.equal(running.length, rows.length);
    const total = rows.reduce((sum, { values }) => sum + values[0]!, 0);
    t.equal(total, before + 1_000, 'and none is lost');
    before = total;
    const other = rows.find(({ labels }) => labels[0] === 'other');
    t.equal(other !== undefined, generation >= 2);
  }
  t.end();
});
