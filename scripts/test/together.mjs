/**
 * Runs several test files in this process, one after the other: what each imports as `tap` is a subtest of its own, so that
 * its hooks, its limits and its end are its own. TEST_FILES lists the compiled files: tap names folders after arguments.
 */
import './no-async-hooks.mjs';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import tap from 'tap';
import { CURRENT_TEST } from './current-test.mjs';
import { shortName } from './files.mjs';

const { setTest } = await import(pathToFileURL(path.resolve(CURRENT_TEST)));
const LIMIT = Number(process.env.TEST_FILE_LIMIT ?? 300);

/** Prints a line after what tap has printed, which waits while standard output is full. */
async function print(line) {
  while (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  process.stdout.write(`${line}\n`);
}

for (const file of JSON.parse(process.env.TEST_FILES)) {
  const name = shortName(path.relative('dist-test', file).replace(/js$/, 'ts'));
  let counts;
  await print(`# file begins ${name}`);
  await tap.test(name, { timeout: LIMIT * 1000 }, async (t) => {
    setTest(t);
    counts = t.counts;
    await import(pathToFileURL(path.resolve(file)));
  });
  await print(`# file ends ${name} ${JSON.stringify(counts)}`);
}
