/** The JavaScript binding of the log writer: strings of every length and kind. native/test tests the writer itself. */
import { spawnSync } from 'node:child_process';
import t from 'tap';

/** The output of a process that appends these lines and exits. */
function append(lines: readonly unknown[]): string {
  const program = `
    const { readFileSync } = await import('node:fs');
    const { appendLog, setLogNotice } = await import(process.argv[1]);
    setLogNotice('{"level":40,"time":', ',"dropped":', '}\\n', false);
    for (const line of JSON.parse(readFileSync(0, 'utf8')))
      try { appendLog(line); } catch (error) { appendLog(error.name + ': ' + error.message + '\\n'); }`;
  const url = import.meta.resolve('#app/native/log-writer.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, url],
    { encoding: 'utf8', maxBuffer: 16 << 20, input: JSON.stringify(lines) },
  );
  t.equal(stderr, '');
  return stdout;
}

t.test('lines of lengths around the sizes of its buffers', (t) => {
  const lengths = [0, 1, 4090, 4091, 4092, 4093, 4094, 4095, 4096, 4097, 65_536, 200_000];
  for (const character of ['x', 'é', '刘', '😀']) {
    const size = Buffer.byteLength(character);
    const lines = lengths.map((length) => `${character.repeat(Math.ceil(length / size))}\n`);
    t.ok(append(lines) === lines.join(''), character);
  }
  t.end();
});

t.test('invalid text and arguments', (t) => {
  t.equal(append(['a\u0000b\n', '\ud800\n']), 'a\u0000b\n\ufffd\n');
  t.equal(append([1, null, {}]), 'TypeError: appendLog needs a string\n'.repeat(3));
  t.end();
});

t.test('a line larger than the buffer is dropped and counted', (t) => {
  const output = append(['before\n', 'x'.repeat(3 << 20), 'after\n']);
  t.match(output, /^before\n(?:after\n)?\{"level":40,"time":\d{13},"dropped":1\}\n(?:after\n)?$/);
  t.end();
});
