/**
 * The files that a full run also runs on PostgreSQL as packages install it, with its default settings: those of the service's
 * own statements, which prove scripts, read catalogs, and serve commands, listings and MCP. This is the only list of them.
 */
import { compiledName } from './import-graph.mjs';

/** Parts of paths: folders, and long files that add statements, versions or a whole service to what the short ones run. */
const SHORT = ['commands/', 'mcp/', 'proof/', 'stored/registry/registry', 'worker/listings/'];
const LONG = [
  'bench/command.long',
  'commands/check/check-against.long',
  'commands/check/check-proof-servers.long',
  'commands/contract.long',
  'mcp/questions.long',
  'mcp/tables/catalog-change.long',
  'mcp/tables/catalog-refresh.long',
  'proof/prover/',
  'service/slow-statements.long',
];

/** What starts servers. */
const SERVERS = 'scripts/embedded-postgres.mjs';

/** onInstalledServers chooses from all test files; those that need no server are left out. */
export function onInstalledServers(files, graph) {
  return files.filter((file) => {
    const parts = file.endsWith('.long.test.ts') ? LONG : SHORT;
    const listed = parts.some((part) => file.startsWith(`test/${part}`));
    return listed && graph.reached(compiledName(file)).has(SERVERS);
  });
}
