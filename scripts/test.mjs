/**
 * `npm test`: sets up and builds what is missing, then runs the test files and, beside them, the tests of the C++ parts. A
 * line for each file, the details of what failed, what was skipped or left out, and the total of all assertions at the
 * end. `npm run test:full` runs the long files too, with `--rest` only those. Arguments choose files by a part of their
 * path (`npm test -- http/`), `--changed` those that need a file which differs from the base of this branch.
 */
import { bootstrap, PROJECT } from './bootstrap.mjs';
import { SetupError } from './step.mjs';
import { endRunning } from './test/process-tree.mjs';
import { TestRun } from './test/run.mjs';
import { installTestPrograms } from './test-programs.mjs';

async function main() {
  await bootstrap({ tests: true });
  const run = new TestRun(PROJECT, process.argv.slice(2));
  if (run.files.some((file) => file.includes('/mcp/clients/'))) await installTestPrograms();
  return (await run.finish()) ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    endRunning();
    console.error(error instanceof SetupError ? `\n${error.message}` : error);
    process.exit(1);
  },
);
