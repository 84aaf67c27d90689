/** The log of one process: all lines of all its threads are there when it ends, in whatever way it does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const PROGRAM = fileURLToPath(new URL('../support/log-and-end.js', import.meta.url));

interface Ended {
  readonly code: unknown;
  readonly output: string;
  readonly errors: string;
}

/** end runs the program to its end. */
async function end(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--enable-source-maps', PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TZ: 'UTC' },
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, output, errors };
}

const WAYS: readonly [way: string, code: number, last: object][] = [
  ['returns', 0, { level: 30 }],
  ['exits', 3, { level: 30 }],
  ['throws', 4, { level: 60, err: { message: 'thrown on purpose' } }],
  ['warns', 0, { level: 30 }],
];

for (const [way, code, last] of WAYS) {
  t.test(`a process that ${way}`, async (t) => {
    const ended = await end(way);
    t.equal(ended.code, code);
    t.equal(ended.errors, '');
    const lines = ended.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    t.match(lines.at(-1), { msg: 'the last line', part: 'main', ...last });
    const numbers = (part: string): unknown[] =>
      lines.filter((line) => line['part'] === part && 'n' in line).map(({ n }) => n);
    t.strictSame(
      numbers('main'),
      Array.from({ length: 1000 }, (_, n) => n),
    );
    t.equal(numbers('thread').length, 2000);
    t.equal(
      lines.filter(({ msg }) => msg === 'Purpose: warned on purpose').length,
      way === 'warns' ? 1 : 0,
    );
  });
}

t.test('readable lines, as on a terminal', async (t) => {
  const { output } = await end('returns', 'pretty');
  t.equal(output.match(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: one of many \{/gm)?.length, 3000);
  t.match(output, /INFO: the last line \{"part":"main"\}\n/);
  t.match(
    output,
    /INFO: GET \/a\/\ufffd\[31mb 404 1\.5 ms\n.*WARN: not served: a\/b\n/,
    'what says all of its fields is without them',
  );
  t.match(
    output,
    /WARN: a\/b:1:8: no x \(42703\)\n {4}> 1 \| SELECT x\n {8}\| {8}\^\ufffd\[2J\n {4}hint: say y\n$/,
    'lines of a script are below, with what is known besides',
  );
});
