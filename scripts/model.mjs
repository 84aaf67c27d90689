/**
 * `npm run model`: sets up and builds the project if needed, then predicts rate and latency of the service on other machines,
 * or measures what the prediction is based on; `--help` lists its options.
 */
import { bootstrapOrExit } from './bootstrap.mjs';

await bootstrapOrExit({ tests: true });
await import('../dist-test/bench/model/main.js');
