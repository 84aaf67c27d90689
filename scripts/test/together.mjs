/**
 * Runs several test files in this process, one after the other: what each imports as `tap` is a subtest of its own, so that
 * its hooks, its limits and its end are its own. TEST_FILES lists the compiled files: tap names folders after arguments.
 */
import { once } from 'node:events';
import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import tap from 'tap';
import { shortName } from './files.mjs';

// `tap` as a test file imports it is a module for this file alone, made when it is imported.
const hooks = `
  export async function resolve(specifier, context, next) {
    if (specifier !== 'tap' || !context.parentURL?.endsWith('.test.js')) return next(specifier, context);
    return { url: 'tap-of:' + context.parentURL, shortCircuit: true };
  }
  export async function load(url, context, next) {
    if (!url.startsWith('tap-of:')) return next(url, context);
    return { format: 'module', source: 'export default globalThis.testFile', shortCircuit: true };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

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
    globalThis.testFile = t;
    counts = t.counts;
    await import(pathToFileURL(path.resolve(file)));
  });
  await print(`# file ends ${name} ${JSON.stringify(counts)}`);
}
