/** The campaign as a command: the faults it has, and what it refuses. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import t from 'tap';

const MAIN = path.join(import.meta.dirname, 'main.js');

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [['--round', '3'], /Unknown option '--round'/],
  [['--rounds', '0'], /--rounds must be a whole number above 0, not 0/],
  [['--seed', 'x'], /--seed must be a whole number above 0, not x/],
  [['--only', 'earthquake'], /no fault has earthquake in its name/],
];

for (const [args, message] of REFUSED)
  t.test(`refused: ${args.join(' ')}`, (t) => {
    const { status, stderr } = run(...args);
    t.equal(status, 2);
    t.match(stderr, message);
    t.end();
  });

t.test('no two faults have the same name', (t) => {
  const names = run('--list').stdout.trim().split('\n');
  t.ok(names.length > 40);
  t.equal(new Set(names).size, names.length);
  t.end();
});
