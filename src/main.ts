#!/usr/bin/env node
/**
 * The command `sql-rest-service`. Sets the exit code and leaves the rest to src/cli.
 */
import { run } from './cli/run.js';

process.exitCode = await run(process.argv.slice(2));
