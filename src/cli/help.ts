/**
 * What `--help` and `--version` print.
 */
import { readFileSync } from 'node:fs';

/** HELP is the text of `--help`. */
export const HELP = `Turns a folder of SQL templates into an HTTP API for PostgreSQL.

Usage: sql-rest-service COMMAND [FLAGS]

Commands:
  serve              Serve until SIGTERM or SIGINT; SIGHUP reads the configuration again
  check              Check the configuration, the database and every script, and who may run it
  migrate up auth    Make the users table, unless it is there
  migrate down auth  Drop the users table; with --yes also when there are users in it
  migrate from-prest Take over the configuration and the tables of pREST 2.4.2
  user add NAME      Add a user; the password is asked for, or read from standard input
  user passwd NAME   Give a user another password
  user list          List the users
  user remove NAME   Remove a user

Flags:
  --config FILE      Configuration file; otherwise SERVICE_CONF, otherwise ./service.toml
  --KEY VALUE        Set a configuration key that is not a secret: --http.port 8080
  --json             Print the outcome of check or from-prest, or the list of users, as JSON
  --name TEXT        Full name of the user that is added
  --metadata JSON    Metadata of the user that is added
  --yes              Drop the users with their table; replace a service.toml that is there
  --from FILE        The prest.toml; otherwise PREST_CONF, otherwise ./prest.toml
  --tables WORD      adopt (default): use the tables of pREST; copy: copy their rows into new ones
  --dry-run          Change nothing, say what would be done
  --help, -h         Print this
  --version, -V      Print the version

Keys can also be set in the environment (SERVICE_HTTP_PORT, DATABASE_URL, PORT);
docs/configuration.md lists them.
Exit status: 0 when all is well, 1 when something is wrong, 2 for a bad command line.
`;

/** version reads the version of this package. */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
