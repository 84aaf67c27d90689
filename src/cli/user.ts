/**
 * The commands `user add`, `passwd`, `list` and `remove`. A hash is never printed, and a password only ever read from
 * standard input.
 */
import { Passwords } from '../auth/password.js';
import type { ConfigSources } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { CommandLine } from './command-line.js';
import { readPassword } from './password-input.js';
import { printed, quoted } from './printed.js';
import { CommandError } from './session.js';
import { requireTable, withUsers } from './users-command.js';

/** addUser adds a user and resolves to the exit code. */
export function addUser(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (place) => {
    const metadata = readMetadata(line.metadata);
    const username = lowered(line.operand);
    await requireTable(place);
    const { users, table, config } = place;
    const hash = await newHash(config);
    if (!(await users.add(username, hash, { name: line.name, metadata })))
      throw new CommandError(`the user ${quoted(username)} exists already in ${table}`);
    process.stdout.write(`added ${quoted(username)}\n`);
  });
}

/** changePassword gives a user another password and resolves to the exit code. */
export function changePassword(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (place) => {
    const username = lowered(line.operand);
    await requireTable(place);
    const { users, table, config } = place;
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

/** listUsers prints the users, as JSON when asked to, and resolves to the exit code. */
export function listUsers(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (place) => {
    await requireTable(place);
    const list = await place.users.list();
    const text = line.json
      ? `${JSON.stringify(list, undefined, 2)}\n`
      : list
          .map(
            ({ id, username, name }) => `${[String(id), username, name].map(printed).join('\t')}\n`,
          )
          .join('');
    process.stdout.write(text);
  });
}

/** removeUser removes a user and resolves to the exit code. */
export function removeUser(sources: ConfigSources, line: CommandLine): Promise<number> {
  return withUsers(sources, async (place) => {
    const username = lowered(line.operand);
    await requireTable(place);
    const { users, table } = place;
    if ((await users.remove(username)) === 0) throw noUser(username, table);
    process.stdout.write(`removed ${quoted(username)}; tokens issued before stay valid\n`);
  });
}

/** Names are lower-cased at login, so that no other would ever be found. */
function lowered(name: string): string {
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

/** Most bytes of metadata: with them a token is within what is accepted. */
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
