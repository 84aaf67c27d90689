#!/usr/bin/env node
/**
 * The command `sql-rest-service`; src/commands runs it, and this module ends the process.
 */
import { runCommand } from './commands/run.js';

const code = await runCommand(process.argv.slice(2));
// A pipe may still be full, and process.exit drops unwritten output.
await Promise.all([process.stdout, process.stderr].map(flushed));
// An attempt to connect to a database that does not answer must not delay the exit.
process.exit(code);

/** flushed resolves when all output of a stream is written, or its reader has closed it. */
function flushed(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => {
    stream.on('error', resolve).write('', resolve);
  });
}
