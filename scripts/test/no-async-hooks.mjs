/**
 * Imported before tap, which follows each promise and timer to say in which subtest an error was thrown outside of what the
 * subtest waits for: a tenth of the processor time of all tests. Here such an error is printed and ends the process, which
 * fails the file that runs.
 */
import asyncHooks from 'node:async_hooks';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const hook = { enable: () => hook, disable: () => hook };
asyncHooks.createHook = () => hook;
syncBuiltinESMExports();

process.on('uncaughtExceptionMonitor', (error) => {
  fs.writeSync(1, `not ok - outside of a test: ${error?.stack ?? error}\n`);
});
