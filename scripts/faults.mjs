/**
 * `npm run test:faults`: sets up and builds the project if needed, then runs the fault campaign; `--help` lists its
 * options.
 */
import { bootstrapOrExit } from './bootstrap.mjs';

await bootstrapOrExit({ tests: true });
await import('../dist-test/test/faults/main.js');
