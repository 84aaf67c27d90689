/** The line of progress: on a terminal only, replaced a few times a second, and gone at the end. */
import t from 'tap';
import { Progress } from '#app/commands/line/progress.js';

function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text: string) => written.push(text) };
}

t.test('nothing without a terminal', (t) => {
  const { written, ...rest } = output(false);
  const progress = new Progress(rest);
  progress.show('proving');
  progress.end();
  t.strictSame(written, []);
  t.end();
});

t.test('a terminal', (t) => {
  const { written, ...rest } = output(true);
  let now = 0;
  const progress = new Progress(rest, () => now);
  progress.show('one');
  now = 50;
  progress.show('too early');
  now = 100;
  progress.show(`two \u001b[2J ${'x'.repeat(40)}`);
  progress.end();
  progress.end();
  t.strictSame(written, ['\r\u001b[Kone', '\r\u001b[Ktwo \uFFFD[2J xxxxxxxxxx', '\r\u001b[K']);
  t.end();
});

t.test('no line, nothing to remove', (t) => {
  const { written, ...rest } = output(true);
  new Progress(rest).end();
  t.strictSame(written, []);
  t.end();
});
