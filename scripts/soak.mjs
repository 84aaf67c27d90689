/** `npm run test:soak`: sets up and builds the project if needed, then runs the soak; `--help` lists its options. */
import { bootstrapOrExit } from './bootstrap.mjs';

await bootstrapOrExit({ tests: true });
await import('../dist-test/test/soak/main.js');
