/** One line of a stream: parts, ends and streams on which nothing comes. */
import { PassThrough } from 'node:stream';
import t from 'tap';
import { firstLine } from '#app/commands/line/first-line.js';

const NEVER = 1_000_000;

async function read(...parts: readonly (string | Buffer | null)[]): Promise<unknown> {
  const input = new PassThrough();
  const found = firstLine(input, { waiting: () => undefined, notice: NEVER, patience: NEVER });
  for (const part of parts) {
    if (part === null) input.end();
    else input.write(part);
  }
  return found;
}

t.test('lines', async (t) => {
  t.strictSame(await read('one\ntwo'), { line: 'one' }, 'the pipe stays open');
  t.strictSame(await read('o', 'ne', '\r\n'), { line: 'one' });
  t.strictSame(await read('one', null), { line: 'one' });
  t.strictSame(await read('\n'), { line: '' });
  t.strictSame(await read(Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])), { line: 'é' });
  t.equal(await read(null), 'empty');
  t.equal(await read('x'.repeat(4_097)), 'long');
});

t.test('nothing comes', async (t) => {
  let waited = 0;
  const input = new PassThrough();
  const waiting = (): void => {
    waited++;
  };
  t.equal(await firstLine(input, { waiting, notice: 0, patience: 20 }), 'late');
  t.equal(waited, 1);
});

t.test('a stream that fails', async (t) => {
  const input = new PassThrough();
  const found = firstLine(input, { waiting: () => undefined });
  input.destroy(new Error('EIO'));
  await t.rejects(found, { message: 'EIO' });
  t.equal(input.listenerCount('error'), 0);
  t.notOk(process.getActiveResourcesInfo().includes('Timeout'), 'the process may end');
});
