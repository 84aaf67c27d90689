/**
 * The database that `check --against` names: its URL, or an environment variable with it. A password is not taken from the
 * command line, and the configuration's password is not sent there.
 */
import type { ConfigSources } from '../config/load.js';
import { databaseAt } from '../config/databases.js';
import type { Issues } from '../config/kind.js';
import type { Config } from '../config/schema.js';
import type { DatabaseSettings } from '../../messages/database-settings.js';
import { quoted } from '../line/printable.js';
import { CommandError } from '../line/session.js';

/** databaseAgainst throws CommandError. */
export function databaseAgainst(
  named: string,
  config: Config,
  { cwd, env }: ConfigSources,
): DatabaseSettings {
  const isVariable = /^[A-Za-z_][A-Za-z0-9_]*$/.test(named);
  const url = isVariable ? env[named] : named;
  if (url === undefined || url === '')
    throw new CommandError(
      `--against: there is no environment variable ${quoted(named)}; it takes a URL such as postgres://user@host:5432/database, or the name of a variable that has one`,
    );
  const issues: Issues = { errors: [], warnings: [] };
  const at = isVariable ? `--against: ${named}` : '--against';
  const settings = databaseAt(config, url, { at, base: cwd, issues });
  const [error] = issues.errors;
  if (error !== undefined) throw new CommandError(error);
  if (!isVariable && hasPassword(url))
    throw new CommandError(
      '--against: a password is not taken from the command line, where other users can see it; name an environment variable that has the URL, or keep the password in ~/.pgpass',
    );
  return settings;
}

function hasPassword(url: string): boolean {
  const { password, searchParams } = new URL(url);
  return password !== '' || searchParams.has('password');
}

/** placeOf names a database: host, port and name. */
export function placeOf({ host, port, database }: DatabaseSettings): string {
  return `${host}:${port}/${database}`;
}
