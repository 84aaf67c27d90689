/**
 * What the commands that work in the default database have in common: the configuration, one connection, and how a
 * failure is told. Exit code 0 when it was done, 1 when not, with the reason on standard error.
 */
import { ConfigError, loadConfig, type ConfigSources } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { databaseOf } from '../config/databases.js';
import { StatementFailure } from '../pg/asked.js';
import type { Database } from '../pg/database.js';
import { openSession } from '../pg/session.js';
import { PasswordError } from './password-input.js';

/** CommandError is a command that was not done; its message says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What a command works with. */
export interface Session {
  readonly config: Config;
  readonly database: Database;
}

/** withSession does something in the default database and resolves to the exit code. */
export async function withSession(
  sources: ConfigSources,
  work: (session: Session) => Promise<void>,
): Promise<number> {
  try {
    const { config } = loadConfig(sources);
    const database = openSession(databaseOf(config));
    try {
      await work({ config, database });
      return 0;
    } finally {
      database.close();
    }
  } catch (error) {
    for (const reason of reasonsOf(error)) process.stderr.write(`error: ${reason}\n`);
    return 1;
  }
}

function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof StatementFailure) return [`the database refused: ${error.reason}`];
  if (error instanceof CommandError || error instanceof PasswordError) return [error.message];
  throw error;
}
