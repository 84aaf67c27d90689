#!/usr/bin/env node
/**
 * The command `sql-rest-service`. Leaves everything but the exit to src/cli.
 */
import { run } from './cli/run.js';

const code = await run(process.argv.slice(2));
// A pipe takes what it has room for, and process.exit drops the rest.
await Promise.all([process.stdout, process.stderr].map(flushed));
// At once: an attempt to connect to a database that does not answer is not waited for.
process.exit(code);

/** flushed resolves when a stream has passed on what was written, or when nobody reads it any more. */
function flushed(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => {
    stream.on('error', resolve).write('', resolve);
  });
}
