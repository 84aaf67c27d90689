/**
 * The commands `user add`, `passwd`, `list` and `remove`. They resolve to the exit code. Hashes are never printed, and
 * passwords are read from standard input only.
 */
import { Passwords } from '../access/logins/password.js';
import type { ConfigSources } from './config/load.js';
import type { Config } from './config/schema.js';
import { usersTableOf } from './config/settings.js';
import { Users } from '../stored/users/users.js';
import type { CommandLine } from './line/command-line.js';
import { readPassword } from './line/password-input.js';
import { printable, quoted } from './line/printable.js';
import { CommandError, withSession, type Session } from './line/session.js';

interface UsersSession extends Session {
  readonly users: Users;
  /** `schema.table`. */
  readonly table: string;
}

export function withUsers(
  sources: ConfigSources,
  work: (session: UsersSession) => Promise<void>,
): Promise<number> {
  return withSession(sources, async (session) => {
    const table = usersTableOf(session.config);
    const users = new Users(table, session.database);
    await work({ ...session, users, table: `${table.schema}.${table.table}` });
  });
}

async function requireUsersTable({ users, table }: UsersSession): Promise<void> {
  if (!(await users.exists()))
    throw new CommandError(
      `there is no table ${table}: make it with sql-rest-service migrate up auth`,
    );
}

export function addUser(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (session) => {
    const metadata = readMetadata(line.metadata);
    const username = lowerCase(line.operand);
    await requireUsersTable(session);
    const { users, table, config } = session;
    const hash = await newHash(config);
    if (!(await users.add(username, hash, { name: line.name, metadata })))
      throw new CommandError(`the user ${quoted(username)} exists already in ${table}`);
    process.stdout.write(`added ${quoted(username)}\n`);
  });
}

export function changePassword(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (session) => {
    const username = lowerCase(line.operand);
    await requireUsersTable(session);
    const { users, table, config } = session;
    if ((await users.find(username)) === undefined) throw noUser(username, table);
    const count = await users.setPassword(username, await newHash(config));
    if (count === 0) throw noUser(username, table);
    if (count > 1)
      throw new CommandError(
        `${count} rows of ${table} have the name ${quoted(username)}: all have the password now, and nobody can log in until one is left`,
      );
    process.stdout.write(`changed the password of ${quoted(username)}\n`);
  });
}

export function listUsers(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (session) => {
    await requireUsersTable(session);
    const list = await session.users.list();
    const text = line.json
      ? `${JSON.stringify(list, undefined, 2)}\n`
      : list
          .map(
            ({ id, username, name }) =>
              `${[String(id), username, name].map(printable).join('\t')}\n`,
          )
          .join('');
    process.stdout.write(text);
  });
}

export function removeUser(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (session) => {
    const username = lowerCase(line.operand);
    await requireUsersTable(session);
    const { users, table } = session;
    if ((await users.remove(username)) === 0) throw noUser(username, table);
    process.stdout.write(`removed ${quoted(username)}; tokens issued before stay valid\n`);
  });
}

/** Names are converted to lower case at login, so that others would never be found. */
function lowerCase(name: string): string {
  const lower = name.toLowerCase();
  if (lower !== name) process.stderr.write(`user names are in lower case: ${quoted(lower)}\n`);
  return lower;
}

async function newHash(config: Config): Promise<string> {
  const scheme = config['auth.encrypt'];
  if (scheme !== 'bcrypt')
    process.stderr.write(
      `warning: auth.encrypt is ${scheme}: who reads the table finds the password\n`,
    );
  return new Passwords().hash(await readPassword(scheme), scheme);
}

/** Maximum size of metadata, in bytes: a larger token would be refused. */
const MAX_METADATA = 4_096;

function readMetadata(metadata: string | undefined): string | undefined {
  if (metadata === undefined) return undefined;
  try {
    JSON.parse(metadata);
  } catch {
    throw new CommandError('--metadata is not JSON');
  }
  if (Buffer.byteLength(metadata) > MAX_METADATA)
    throw new CommandError(
      `--metadata has more than ${MAX_METADATA} bytes: it becomes part of every token, which would be too large`,
    );
  return metadata;
}

function noUser(username: string, table: string): CommandError {
  return new CommandError(`there is no user ${quoted(username)} in ${table}`);
}
