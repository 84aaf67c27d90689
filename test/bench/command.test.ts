/** The benchmark as a command: what it refuses. */
import t from 'tap';
import { bench } from './bench-command.js';

t.setTimeout(120_000);

const REFUSED: [string[], RegExp][] = [
  [['--case', 'one'], /Unknown option '--case'/],
  [['--cases', 'none'], /no case is named none/],
  [['--servers', 'nginx'], /no server is named nginx/],
  [['--rounds', '0'], /--rounds must be a whole number above 0, not 0/],
  [['--concurrency', '8,many'], /--concurrency must be a whole number above 0, not many/],
  [['--postgres', '7'], /--postgres 7: no such server is installed/],
  [['--warm', '0'], /--warm must be a whole number above 0, not 0/],
  [['--layouts', '2'], /--layouts must be like 2x3, not 2/],
  [['--layouts', '1x1,2x3', '--pool', '10'], /--pool must be a multiple of the threads of 2x3/],
];

for (const [args, message] of REFUSED) {
  t.test(`refused: ${args.join(' ')}`, (t) => {
    const { status, stderr } = bench(args);
    t.equal(status, 2);
    t.match(stderr, message);
    t.end();
  });
}

const NO_BASE: [string, RegExp][] = [
  ['no-such-revision', /\bgit\b/],
  ['./no-such-folder', /no-such-folder cannot be built/],
];

for (const [base, message] of NO_BASE) {
  t.test(`nothing to compare with: ${base}`, (t) => {
    const { status, stderr } = bench(['--servers', 'service', '--base', base]);
    t.equal(status, 1);
    t.match(stderr, message);
    t.end();
  });
}
