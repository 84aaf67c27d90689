/**
 * The configuration keys that decide who may do what: scripts, authentication, permissions, listings, TLS, CORS. An
 * unknown key in most of these sections stops the start, because a mistyped one would leave a door open. Data only.
 */
import { canSign } from '../auth/static-key.js';
import { derived, fixed, unset, type Values } from './key.js';
import {
  boolean,
  choice,
  duration,
  identifier,
  integer,
  keySet,
  list,
  path,
  patterns,
  text,
} from './kind.js';
import { optional, required, tables } from './tables.js';

/** SECURE_SECTIONS are those in which an unknown key is an error. */
export const SECURE_SECTIONS: readonly string[] = [
  'auth',
  'jwt',
  'access',
  'expose',
  'queries',
  'https',
];

const PERMISSIONS = list('a list of read, write, delete', (item) =>
  ['read', 'write', 'delete'].includes(item),
);
const STORED = (values: Values): boolean => values['queries.storage'] === 'database';
const SCRIPT_ENTRY = {
  database: optional(text(), 'Alias; any when absent or `*`.'),
  location: optional(text(), 'Folder; any when absent or `*`.'),
  name: optional(text(), 'Script; any when absent or `*`.'),
  permissions: required(PERMISSIONS, 'Of read, write, delete.'),
};
const TABLE_ENTRY = {
  name: required(text(), 'Table; a name without schema means public.'),
  permissions: required(PERMISSIONS, 'Of read, write, delete.'),
  fields: optional(list(), 'Columns; all when absent or `*`.'),
};
const USER_NAME = required(text('a non-empty string', /^[^\0]+$/), 'Name of the user.');

/** SECURITY_KEYS are the keys of queries, auth, jwt, access, expose, https and cors. */
export const SECURITY_KEYS = {
  'queries.location': fixed(
    path(),
    './queries',
    'Folder of the script folders; made at start when missing.',
  ),
  'queries.storage': fixed(
    choice('filesystem', 'database'),
    'filesystem',
    'Where scripts are kept: in the folder `queries.location`, or in a table of the database `pg.database`.',
  ),
  'queries.schema': fixed(identifier(), 'public', 'Schema of the scripts table.'),
  'queries.table': fixed(identifier(), 'service_queries', 'Name of the scripts table.'),
  'queries.migrate_on_startup': derived(
    boolean(),
    'true when `queries.storage` is `"database"`',
    STORED,
    'Make the scripts table at start.',
  ),
  'queries.import_on_startup': derived(
    boolean(),
    'true when `queries.storage` is `"database"`',
    STORED,
    'Import the files of `queries.location` into the scripts table at start.',
  ),
  'queries.import_policy': fixed(
    choice('skip', 'update', 'error'),
    'update',
    'What an import does with a script that exists.',
  ),
  'queries.restrict': fixed(
    boolean(),
    false,
    'Require a token and a permission for every script. Switched off, with a warning, while `auth.enabled` is off.',
  ),
  'queries.register_enabled': fixed(
    boolean(),
    false,
    'Offer the registry of scripts. Switched off, with a warning, unless `auth.enabled` is on, `jwt.key` is set, `queries.register_admins` is not empty and `queries.storage` is `"database"`.',
  ),
  'queries.register_admins': fixed(list(), [], 'Users who may use the registry.'),
  'queries.raised_messages': fixed(
    boolean(),
    true,
    'Give callers the messages that scripts raise on purpose (RAISE EXCEPTION, SQLSTATE PTnnn).',
  ),
  'queries.scripts': fixed(
    tables(SCRIPT_ENTRY, true),
    [],
    'Permissions of everybody on scripts, under `queries.restrict`.',
  ),
  'queries.users': fixed(
    tables(
      { name: USER_NAME, scripts: required(tables(SCRIPT_ENTRY, true), 'As `queries.scripts`.') },
      true,
    ),
    [],
    'Permissions of single users on scripts.',
  ),
  'auth.enabled': fixed(
    boolean(),
    false,
    'Require a token on every route but `/auth`, `/_health`, `/_ready` and those of `jwt.whitelist`.',
  ),
  'auth.login': derived(
    boolean(),
    'true when `auth.enabled` is on and `jwt.key` can sign',
    ({ 'auth.enabled': enabled, 'jwt.key': key, 'jwt.algo': algorithm }) =>
      enabled === true && typeof key === 'string' && canSign(key, algorithm as string),
    'Offer `POST /auth`: a token for a user name and password of the users table.',
  ),
  'auth.schema': fixed(identifier(), 'public', 'Schema of the users table.'),
  'auth.table': fixed(identifier(), 'service_users', 'Name of the users table.'),
  'auth.username': fixed(identifier(), 'username', 'Its column of user names.'),
  'auth.password': fixed(identifier(), 'password', 'Its column of password hashes.'),
  'auth.metadata': fixed(list(), [], 'Columns collected into the metadata of a user.'),
  'auth.encrypt': fixed(choice('bcrypt', 'md5', 'sha1'), 'bcrypt', 'How passwords are hashed.'),
  'auth.type': fixed(
    choice('body', 'basic'),
    'body',
    'How `/auth` takes the password: a JSON body or HTTP Basic.',
  ),
  'auth.max_failures': fixed(
    integer(1, 1_000_000),
    10,
    'Failed logins of one user name within `auth.failure_window`, over all processes; more are answered 429.',
  ),
  'auth.max_failures_address': fixed(
    integer(1, 1_000_000),
    100,
    'Failed logins from one address (an IPv6 network of 64 bits) within `auth.failure_window`.',
  ),
  'auth.failure_window': fixed(
    duration(1000, 24 * 3_600_000),
    900_000,
    'How long a failed login counts.',
  ),
  'auth.claims': fixed(
    boolean(),
    false,
    'Let templates bind the caller\'s claims: `sqlVal "claims.<name>"`.',
  ),
  'auth.settings': fixed(
    boolean(),
    false,
    "Run each statement with the caller's claims, as JSON, in the setting `request.jwt.claims`.",
  ),
  'auth.db_role': unset(
    text('the name of a claim, dots leading into objects', /^[^\s\0]+$/),
    'Claim that names the database role under which the statements of a request run.',
  ),
  'auth.db_roles': fixed(
    list('a list of roles', (item) => item !== '' && Buffer.byteLength(item) <= 63),
    [],
    'The roles that the claim may name; any other is refused.',
  ),
  'auth.anonymous_role': unset(
    identifier(),
    'Database role of callers without the claim of `auth.db_role`; without one they are refused.',
  ),
  'auth.migrate_on_startup': derived(
    boolean(),
    '`auth.enabled`',
    (values) => values['auth.enabled'] === true,
    'Make the users table at start.',
  ),
  'jwt.key': unset(text(), 'Key that signs and checks tokens: a secret, or a PEM.', {
    secret: true,
  }),
  'jwt.algo': fixed(
    choice(
      'HS256',
      'HS384',
      'HS512',
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
    ),
    'HS256',
    'The only algorithm that is accepted.',
  ),
  'jwt.jwks': unset(keySet(), 'Key set: JSON, a path or a URL.', { secret: true }),
  'jwt.wellknownurl': unset(
    text('an http or https URL', /^https?:\/\/[^\s\0]+$/),
    'OpenID configuration that names the key set.',
  ),
  'jwt.whitelist': fixed(
    patterns(),
    ['^\\/auth$'],
    'Paths that need no token, as regular expressions that match all of the path, without `context`.',
  ),
  'jwt.default': fixed(
    boolean(),
    false,
    'Require a token on every route, as `auth.enabled` does, also where that is off.',
  ),
  'jwt.iss': unset(text(), 'Issuer that tokens must name.'),
  'jwt.aud': unset(text(), 'Audience that tokens must name.'),
  'jwt.require_exp': fixed(boolean(), true, 'Refuse tokens without an expiry.'),
  'access.restrict': fixed(boolean(), false, 'Deny every table that is not listed.'),
  'access.tables': fixed(tables(TABLE_ENTRY, true), [], 'Permissions of everybody on tables.'),
  'access.users': fixed(
    tables(
      { name: USER_NAME, tables: required(tables(TABLE_ENTRY, true), 'As `access.tables`.') },
      true,
    ),
    [],
    'Permissions of single users on tables.',
  ),
  'access.ignore_table': fixed(
    list('a list of strings', (item) => !item.includes('\0')),
    [],
    'Tables to which `access.restrict` does not apply.',
  ),
  'expose.enabled': fixed(boolean(), false, 'Let the three keys below hide listings.'),
  'expose.databases': fixed(boolean(), true, 'Whether databases are listed.'),
  'expose.schemas': fixed(boolean(), true, 'Whether schemas are listed.'),
  'expose.tables': fixed(boolean(), true, 'Whether tables are listed.'),
  'https.mode': fixed(boolean(), false, 'Serve HTTPS.'),
  'https.cert': unset(path(), 'Certificate, followed by those it depends on (PEM).'),
  'https.key': unset(path(), 'Key of the certificate (PEM).'),
  'cors.alloworigin': fixed(
    list(),
    [],
    'Origins that browsers may call from, or `*`; none: no CORS headers.',
  ),
  'cors.allowheaders': fixed(
    list(),
    ['Content-Type', 'Authorization'],
    'Request headers that browsers may send.',
  ),
  'cors.allowmethods': fixed(
    list(),
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    'Methods that browsers may use.',
  ),
  'cors.allowcredentials': fixed(boolean(), false, 'Let browsers send credentials.'),
};
