/**
 * `npm run bench`: sets up and builds what is missing, then runs the benchmark with the arguments given; `--help` lists
 * them.
 */
import { bootstrap } from './bootstrap.mjs';
import { SetupError } from './step.mjs';

try {
  await bootstrap({ tests: true });
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(error.message);
  process.exit(1);
}
await import('../dist-test/bench/main.js');
