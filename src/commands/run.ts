/**
 * Runs a command line. Exit codes: 0 for success, 1 for an error, 2 for invalid usage. Results go to standard output, errors
 * to standard error.
 */
import { pathToFileURL } from 'node:url';
import { installedFile } from '../base/installed-file.js';
import { dropLibpqVariables } from './config/conninfo.js';
import { parseCommandLine, UsageError, type CommandLine } from './line/command-line.js';
import { version } from '../base/version.js';
import type { PluginLanguage } from './plugin-new.js';
import type * as Serve from './serve.js';

/** The bundle of './serve.js', made by scripts/build.mjs. */
const SERVE = pathToFileURL(installedFile('dist/programs/serve.js')).href;

export async function runCommand(args: readonly string[]): Promise<number> {
  let line: CommandLine;
  try {
    line = parseCommandLine(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`sql-rest-service: ${error.message}\nTry: sql-rest-service --help\n`);
    return 2;
  }
  const sources = { file: line.file, flags: line.flags, env: process.env, cwd: process.cwd() };
  switch (line.command) {
    case 'help':
      process.stdout.write((await import('./line/help.js')).helpText(line.operand));
      return 0;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return 0;
    case 'completion':
      process.stdout.write((await import('./line/completion.js')).completionFor(line.operand));
      return 0;
  }
  dropLibpqVariables(process.env);
  // Before its modules are loaded: the signal may come as soon as the process runs. The configuration is read later.
  if (line.command === 'serve' || line.command === 'dev') process.on('SIGHUP', () => undefined);
  // Imported on demand: the supervisor does not need the modules of other commands, libpq above all.
  switch (line.command) {
    case 'check':
      return (await import('./check/check.js')).check(sources, line);
    case 'contract':
      return (await import('./contract.js')).printContract(sources, line);
    case 'contract diff':
      return (await import('./contract-diff.js')).printChanges(sources, line);
    case 'client typescript':
      return (await import('./client.js')).printTypeScript(sources, line);
    case 'serve':
      return ((await import(SERVE)) as typeof Serve).runService(sources);
    case 'dev':
      return ((await import(SERVE)) as typeof Serve).runService({ ...sources, development: true });
    case 'top':
      return (await import('./top.js')).showTop(sources, line);
    case 'migrate up auth':
      return (await import('./migrate.js')).createUsersTable(sources);
    case 'migrate down auth':
      return (await import('./migrate.js')).dropUsersTable(sources, line.yes);
    case 'migrate from-prest':
      return (await import('./from-prest.js')).fromPrest({ ...line, ...sources });
    case 'migrate up queries':
      return (await import('./migrate.js')).createScriptsTable(sources);
    case 'migrate down queries':
      return (await import('./migrate.js')).dropScriptsTable(sources, line.yes);
    case 'scripts export':
      return (await import('./scripts/scripts-export.js')).exportScripts(sources, line);
    case 'scripts import':
      return (await import('./scripts/scripts-import.js')).importFolder(sources, line);
    case 'scripts diff':
      return (await import('./scripts/scripts-diff.js')).diffScripts(sources, line);
    case 'plugin header':
      return (await import('./plugin-new.js')).printHeader();
    case 'plugin new c':
    case 'plugin new cpp':
    case 'plugin new go':
    case 'plugin new rust':
      return (await import('./plugin-new.js')).newPlugin(
        line.command.slice('plugin new '.length) as PluginLanguage,
        line.operand,
      );
    case 'plugin check':
      return (await import('./check/plugin-check.js')).checkPlugin(line.operand, line.json);
    case 'user add':
      return (await import('./user.js')).addUser(sources, line);
    case 'user passwd':
      return (await import('./user.js')).changePassword(sources, line);
    case 'user list':
      return (await import('./user.js')).listUsers(sources, line);
    case 'user remove':
      return (await import('./user.js')).removeUser(sources, line);
  }
}
