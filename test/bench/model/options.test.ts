/** The command line of the model: what it refuses, and what it assumes. */
import t from 'tap';
import { parseOptions } from '../../../bench/model/options.js';
import { UsageError } from '../../../bench/options.js';

const REFUSED: [string[], RegExp][] = [
  [[], /a command is missing/],
  [['forecast'], /no command is named forecast/],
  [['predict', '--core', '4'], /Unknown option '--core'/],
  [['predict', 'one'], /Unexpected argument 'one'/],
  [['predict', '--cores', '0'], /--cores must be a whole number from 1 to 1000000, not 0/],
  [['predict', '--cores', '2.5'], /--cores must be a whole number/],
  [
    ['predict', '--connections', '32,'],
    /--connections must be a whole number from 1 to 1000000, not $/,
  ],
  [['predict', '--connections', ''], /--connections is empty/],
  [['predict', '--slow', '4x200', '--pool', '1'], /--slow needs 2 connections for each worker/],
  [['predict', '--connections', '99999999'], /--connections must be a whole number from 1/],
  [['predict', '--rates', '1e10'], /--rates must be a whole number/],
  [['predict', '--database', '16'], /--database must be like 3x16, not 16/],
  [['predict', '--slow', '4x'], /--slow must be like 4x200, not 4x/],
  [['predict', '--pool', '3', '--processes', '4'], /--pool must be at least 4/],
  [['predict', '--disturbance', '1'], /--disturbance must be a number, from 0 to below 1, not 1/],
  [['predict', '--network', ''], /--network must be a number, 0 or above/],
  [['predict', '--network', 'NaN'], /--network must be a number, 0 or above/],
  [['predict', '--seconds', '0'], /--seconds must be above 0/],
  [['predict', '--local', '--instances', '2'], /--local is for one instance/],
  [['predict', '--local', '--database', '1x4'], /--local is for PostgreSQL on the same machine/],
  [['predict', '--local', '--rates', '10'], /--local is for --connections, not for --rates/],
  [['calibrate', '--layouts', '1x1'], /--layouts is for check/],
  [['check', '--layouts', '2x1,1x1'], /--layouts must begin with 1x1/],
  [['check', '--layouts', '1x1,5x1'], /--pool must be a multiple of the threads of 5x1/],
  [['check', '--cases', 'insert'], /no case for the model is named insert/],
  [['check', '--samples', 'x', '--rounds', '1'], /--rounds is for a new run, not for --samples/],
  [['check', '--cases', ''], /--cases is empty/],
];

for (const [args, message] of REFUSED) {
  t.test(`refused: ${args.join(' ')}`, (t) => {
    const thrown = (() => {
      try {
        return parseOptions(args);
      } catch (error) {
        return error;
      }
    })();
    t.ok(thrown instanceof UsageError);
    t.match(String(thrown), message);
    t.end();
  });
}

t.test('HTTP processes and connections follow from the cores', (t) => {
  t.match(parseOptions(['predict', '--cores', '64']), {
    layout: { processes: 16, threads: 1 },
    pool: 80,
    database: undefined,
    connections: [],
    rates: [],
  });
  t.match(parseOptions(['predict']), { layout: { processes: 1, threads: 1 }, pool: 24 });
  t.equal(parseOptions(['check', '--help']), undefined);
  t.end();
});
