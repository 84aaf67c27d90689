/** The model as a command: predictions with the costs of the project, and errors. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { model } from './model-command.js';

const SHORT = ['--seconds', '0.05', '--warm-up', '0.05'];

t.test('a prediction as text: the highest rate, and parts of it', (t) => {
  const { status, stdout, stderr } = model(['predict', '--case', 'page', ...SHORT]);
  t.equal(stderr, '');
  t.equal(status, 0);
  const lines = stdout.trim().split('\n');
  t.match(lines[0], /^page, with the costs of two virtual cores/);
  t.match(lines[2], /req\/s +p50 ms +p99 ms +generator cores +http cores/);
  t.match(lines[3], /^256 connections +\d+/);
  t.match(lines[4], /^50 % of its rate +\d+/);
  t.match(lines.at(-1), /^90 % of its rate/);
  t.end();
});

t.test('a prediction as JSON', (t) => {
  const { status, stdout } = model([
    'predict',
    '--connections',
    '1,8',
    '--rates',
    '900',
    '--json',
    ...SHORT,
  ]);
  t.equal(status, 0);
  const { lines } = JSON.parse(stdout) as {
    lines: { load: string; prediction: { rate: number } }[];
  };
  t.strictSame(
    lines.map(({ load }) => load),
    ['1 connections', '8 connections', '900/s'],
  );
  t.ok(lines.every(({ prediction }) => prediction.rate > 0));
  t.end();
});

t.test('invalid usage: 2, with the usage; a file without costs or samples: 1', (t) => {
  const usage = model(['predict', '--cores', 'many']);
  t.equal(usage.status, 2);
  t.match(usage.stderr, /--cores must be a whole number.*\nUsage: npm run model/);
  t.match(model(['--help']).stdout, /^Usage: npm run model/);

  const calm = path.join(t.testdir(), 'calm.json');
  const part = { wake: 1, item: 9 };
  const one = { generator: part, http: part, worker: part, backend: part };
  const content = { cases: { one: { ...one, wakeUp: 1, variation: 0, pause: 0 } } };
  writeFileSync(calm, JSON.stringify(content));
  const disturbed = model(['predict', '--costs', calm, '--disturbance', '0.2']);
  t.equal(disturbed.status, 2);
  t.match(disturbed.stderr, /--disturbance needs costs with a pause/);

  const file = path.join(path.dirname(calm), 'empty.json');
  writeFileSync(file, '{}');
  for (const args of [
    ['predict', '--costs', file],
    ['predict', '--costs', `${file}.missing`],
    ['predict', '--case', 'insert'],
    ['check', '--samples', file],
  ]) {
    const { status, stderr, stdout } = model(args);
    t.equal(status, 1, args.join(' '));
    t.match(
      stderr,
      /has no samples of the model|cases is not an object|ENOENT|has no costs of insert/,
    );
    t.notMatch(stderr, /Usage|\n +at /);
    t.equal(stdout, '');
  }
  t.end();
});
