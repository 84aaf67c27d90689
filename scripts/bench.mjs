/**
 * `npm run bench`: sets up and builds the project if needed, then runs the benchmark; `--help` lists its options.
 */
import { bootstrapOrExit } from './bootstrap.mjs';

await bootstrapOrExit({ tests: true });
await import('../dist-test/bench/main.js');
