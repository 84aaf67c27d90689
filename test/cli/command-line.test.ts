import { readFileSync } from 'node:fs';
import t from 'tap';
import { makeFolder, run } from './program.js';

const folder = makeFolder(t);

t.test('command lines that make no sense: exit code 2, and what was meant', async (t) => {
  const cases: [args: string[], stderr: RegExp][] = [
    [[], /a command is missing: serve or check/],
    [['sevre'], /unknown command sevre; the nearest is serve/],
    [['migrate', 'up'], /unknown command migrate/],
    [['serve', 'now'], /serve takes flags only, not now/],
    [['check', '--jsn'], /unknown flag --jsn; the nearest is --json/],
    [['serve', '--http.prot', '1'], /unknown flag --http\.prot; the nearest is --http\.port/],
    [['serve', '-x'], /unknown flag -x/],
    [['serve', '--config'], /--config needs a value/],
    [['serve', '--config='], /--config needs a value/],
    [['serve', '--config', 'a', '--config', 'b'], /--config is given twice/],
    [['check', '--json=yes'], /--json takes no value/],
    [['serve', '--json'], /--json belongs to check/],
  ];
  for (const [args, stderr] of cases) {
    const finished = await run(folder, args);
    t.equal(finished.code, 2, args.join(' '));
    t.match(finished.stderr, stderr);
    t.equal(finished.stdout, '');
  }
});

t.test('help and version', async (t) => {
  for (const args of [['--help'], ['-h'], ['serve', '--help'], ['check', '--help', '--version']]) {
    const { code, stdout, stderr } = await run(folder, args);
    t.equal(code, 0, args.join(' '));
    t.equal(stderr, '');
    for (const word of ['serve', 'check', '--config', '--json', '--help', '--version'])
      t.match(stdout, word);
    t.notMatch(stdout, /migrate|plugin|user/, 'only what there is');
  }
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  for (const args of [['--version'], ['-V'], ['serve', '--version']])
    t.strictSame(await run(folder, args), { code: 0, stdout: `${version}\n`, stderr: '' });
});
