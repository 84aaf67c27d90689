/**
 * Shared by the commands that use the default database: the configuration, one connection, and error messages. Exit code 0
 * for success, 1 for an error, whose message goes to standard error.
 */
import { ConfigError, loadConfig, type ConfigSources } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { databaseOf } from '../config/databases.js';
import { StatementFailure } from '../../postgres/statement/queryable.js';
import { openSession, type Database } from '../../postgres/lanes/database.js';
import { PasswordError } from './password-input.js';

export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export interface Session {
  readonly config: Config;
  readonly database: Database;
}

/** withSession runs `work` with a connection to the default database, and resolves to the exit code. */
export async function withSession(
  sources: ConfigSources,
  work: (session: Session) => Promise<void>,
): Promise<number> {
  try {
    const { config } = loadConfig(sources);
    // Behind a pooler that drops statement_timeout, a long statement must not count as stuck.
    const settings = { ...databaseOf(config), statementTimeout: Infinity };
    const database = openSession(settings);
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
