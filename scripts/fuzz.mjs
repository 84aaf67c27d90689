/** `npm run test:fuzz`: sets up and builds the project if needed, then runs the fuzz targets; `--help` lists its options. */
import { bootstrapOrExit } from './bootstrap.mjs';

await bootstrapOrExit({ tests: true });
await import('../dist-test/test/fuzz/main.js');
