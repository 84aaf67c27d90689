#!/usr/bin/env node
/**
 * The command `sql-rest-service`. Leaves everything but the exit to src/cli.
 */
import { run } from './cli/run.js';

// At once: an attempt to connect to a database that does not answer is not waited for.
process.exit(await run(process.argv.slice(2)));
