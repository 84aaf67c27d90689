/**
 * `npm run test:mutate`: changes single lines of the code on which safety depends, and checks that a test of the changed
 * file's folder fails. Lists the mutants that survive, and fails when there is one without an entry in
 * accepted-mutants.json. Arguments choose files by a part of their path; `--count` is how many mutants are tried (200),
 * `--seed` draws others (1), `--list` only prints them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrapOrExit, PROJECT } from './bootstrap.mjs';
import { endOnSignals } from './test/process-tree.mjs';

const MUTATED = [
  'src/access',
  'src/serve/http',
  'src/postgres',
  'src/script/statement/statement-rules.ts',
  'src/mcp/tables/read-only.ts',
  'src/native/screen.ts',
  'native/value_screen.cc',
];

/** Mutants that survive, each with the reason: [{file, original, mutated, reason}]. */
const ACCEPTED = path.join(PROJECT, 'scripts/accepted-mutants.json');

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
  },
});

await bootstrapOrExit({ tests: true });
const { apply, draw, mutantsOf } = await import('./mutants.mjs');
const { Sandbox } = await import('./mutation-tests.mjs');

/** readSources is the text of each file to mutate, by its path. */
function readSources() {
  const files = MUTATED.flatMap((name) =>
    path.extname(name)
      ? [name]
      : fs
          .readdirSync(path.join(PROJECT, name), { recursive: true })
          .filter((file) => file.endsWith('.ts'))
          .map((file) => `${name}/${file}`),
  );
  return new Map(
    files
      .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
      .map((file) => [file, fs.readFileSync(path.join(PROJECT, file), 'utf8')]),
  );
}

function isSame(a, b) {
  return a.file === b.file && a.original === b.original && a.mutated === b.mutated;
}

function show({ file, line, original, mutated }) {
  return `${file}:${line}\n    - ${original}\n    + ${mutated}`;
}

/** tryAll tries mutants in `jobs` sandboxes, and returns those that survive. */
async function tryAll(mutants) {
  const survivors = [];
  const baselines = new Map();
  const waiting = [...mutants];
  const job = async () => {
    const sandbox = new Sandbox(baselines);
    try {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const source = sources.get(mutant.file);
        const killer = await sandbox.kills(mutant.file, source, apply(source, mutant));
        if (killer === undefined) survivors.push(mutant);
        console.log(
          `${killer === undefined ? 'SURVIVED' : `killed by ${killer}`}: ${show(mutant)}`,
        );
      }
    } finally {
      sandbox.remove();
    }
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, job));
  return survivors;
}

const sources = readSources();
endOnSignals();
const all = [...sources].flatMap(([file, text]) => mutantsOf(file, text));
const drawn = draw(all, Number(options.count), options.seed);
if (options.list) {
  for (const mutant of drawn) console.log(show(mutant));
  process.exit(0);
}
const accepted = JSON.parse(fs.readFileSync(ACCEPTED, 'utf8'));
const outdated = accepted.filter(
  (entry) => sources.has(entry.file) && !all.some((mutant) => isSame(mutant, entry)),
);
for (const entry of outdated) console.log(`accepted, but no mutant any more: ${show(entry)}`);
const tried = drawn.filter((mutant) => !accepted.some((entry) => isSame(mutant, entry)));
const survivors = await tryAll(tried);
console.log(
  `${all.length} mutants possible, ${tried.length} tried, ${tried.length - survivors.length} killed, ` +
    `${drawn.length - tried.length} accepted, ${survivors.length} survived`,
);
for (const mutant of survivors) console.log(show(mutant));
process.exit(survivors.length === 0 && outdated.length === 0 ? 0 : 1);
