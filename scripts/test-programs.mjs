/**
 * Installs the programs that test/mcp/clients runs (test/mcp/programs: conformance suites, the Inspector, a newer Node;
 * test/mcp/authorization-server), when they are missing or not what the lockfile says. They are none of the service's own packages: other tests run
 * without them, so a machine that cannot get them is told so and goes on.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed, npm } from './npm-packages.mjs';
import { say, SetupError } from './step.mjs';

const FOLDERS = [
  ['authorization-server', 'an authorization server for tests'],
  ['programs', 'MCP programs for tests (npm ci, 400 MiB, half a minute)'],
];

const TESTS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../test/mcp');

/** installTestPrograms installs them; no script of theirs runs. */
export async function installTestPrograms() {
  for (const [name, what] of FOLDERS) await install(path.join(TESTS, name), what);
}

async function install(folder, what) {
  if (installed(folder)) return;
  try {
    const title = `installing ${what}`;
    // Without a way to the registry npm is to give up in seconds: this may be tried before each run of the tests.
    const waits = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
    await npm(title, ['ci', '--ignore-scripts', ...waits], folder);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    say(
      'The tests in test/mcp/clients will fail without these programs; the others do not need them.',
    );
  }
}
