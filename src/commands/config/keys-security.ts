/**
 * The configuration keys for access: scripts, authentication, permissions, listings, TLS, CORS. An unknown key in most of
 * these sections stops the start, so that a typing error cannot disable a protection. Data only.
 */
import { canSign } from '../../access/tokens/static-key.js';
import { derived, fixed, unset, type Values } from './key.js';
import {
  DAY,
  boolean,
  choice,
  duration,
  objectName,
  integer,
  keySet,
  list,
  path,
  patterns,
  scopes,
  text,
} from './kind.js';
import { optional, required, tables } from './tables.js';

/** SECURE_SECTIONS are the sections in which an unknown key is an error. */
export const SECURE_SECTIONS: readonly string[] = [
  'auth',
  'jwt',
  'access',
  'expose',
  'queries',
  'https',
  'docs',
  'metrics',
  'trace',
];

const PERMISSIONS = list('a list of read, write, delete', (item) =>
  ['read', 'write', 'delete'].includes(item),
);
const STORED = (values: Values): boolean => values['queries.storage'] === 'database';
const SCRIPT_ENTRY = {
  database: optional(text(), 'Alias of the database; any if absent or `*`.'),
  location: optional(text(), 'Folder; any if absent or `*`.'),
  name: optional(text(), 'Script; any if absent or `*`.'),
  permissions: required(PERMISSIONS, 'The permitted operations; an empty list denies all.'),
  scope: optional(scopes(), 'Scopes that a token needs for them, all of them; none if absent.'),
};
const TABLE_ENTRY = {
  name: required(text(), 'Table; a name without a schema is in public.'),
  permissions: required(PERMISSIONS, 'The permitted operations; an empty list denies all.'),
  fields: optional(list(), 'Columns; all if absent or `*`.'),
};
const USER_NAME = required(text('a non-empty string', /^[^\0]+$/), 'Name of the user.');

export const SECURITY_KEYS = {
  'queries.location': fixed(
    path(),
    './queries',
    'Folder that contains the script folders; created at start if it does not exist.',
  ),
  'queries.storage': fixed(
    choice('filesystem', 'database'),
    'filesystem',
    'Where scripts are stored: in the folder `queries.location`, or in a table of the database `pg.database`.',
  ),
  'queries.schema': fixed(objectName(), 'public', 'Schema of the scripts table.'),
  'queries.table': fixed(objectName(), 'service_queries', 'Name of the scripts table.'),
  'queries.migrate_on_startup': derived(
    boolean(),
    'true when `queries.storage` is `"database"`',
    STORED,
    'Create the scripts table at start.',
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
    'How an import treats a stored script with a different text.',
  ),
  'queries.restrict': fixed(
    boolean(),
    false,
    'Require a token and a permission for every script. Disabled with a warning while `auth.enabled` is off.',
  ),
  'queries.register_enabled': fixed(
    boolean(),
    false,
    'Enable the registry of scripts. Disabled with a warning unless `auth.enabled` is on, `jwt.key` is set, `queries.register_admins` is not empty and `queries.storage` is `"database"`.',
  ),
  'queries.register_admins': fixed(list(), [], 'Users who may use the registry.'),
  'queries.proof': fixed(
    choice('off', 'warn', 'require'),
    'warn',
    'Whether the service proves the scripts that it serves, in the background: `"warn"` logs what is broken, `"require"` also serves nothing else, see [proof](proof.md#proofs-of-a-running-service). It takes one connection to each database out of `pg.maxopenconn` while it needs it.',
  ),
  'queries.proof_budget': fixed(
    duration(10, DAY),
    2_000,
    'Time limit of the proof of one script in the registry; what is not proved by then is reported as `unproved`.',
  ),
  'queries.error_details': fixed(
    boolean(),
    true,
    'Whether errors of PostgreSQL say what failed: `reason` in words, and the names of the constraint, the column and the table of a value that is refused. Never values.',
  ),
  'queries.raised_messages': fixed(
    boolean(),
    true,
    'Return the messages that scripts raise on purpose (RAISE EXCEPTION, SQLSTATE PTnnn) to callers.',
  ),
  'queries.scripts': fixed(
    tables(SCRIPT_ENTRY, true),
    [],
    'Permissions of all callers on scripts, under `queries.restrict`.',
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
    'Require a token on every route except `/auth`, `/_health`, `/_ready` and those in `jwt.whitelist`.',
  ),
  'auth.invalid_token': fixed(
    choice('anonymous', 'reject'),
    'anonymous',
    'What an invalid or expired token means on a path that needs none: `"anonymous"` serves the caller as one without a token, `"reject"` answers 401, or 503 while the keys are not there.',
  ),
  'auth.login': derived(
    boolean(),
    'true when `auth.enabled` is on and `jwt.key` can sign',
    ({ 'auth.enabled': enabled, 'jwt.key': key, 'jwt.algo': algorithm }) =>
      enabled === true && typeof key === 'string' && canSign(key, algorithm as string),
    'Enable `POST /auth`, which issues a token for a user name and password of the users table.',
  ),
  'auth.schema': fixed(objectName(), 'public', 'Schema of the users table.'),
  'auth.table': fixed(objectName(), 'service_users', 'Name of the users table.'),
  'auth.username': fixed(objectName(), 'username', 'Column of user names.'),
  'auth.password': fixed(objectName(), 'password', 'Column of password hashes.'),
  'auth.metadata': fixed(list(), [], "Columns collected into a user's metadata."),
  'auth.encrypt': fixed(
    choice('bcrypt', 'md5', 'sha1'),
    'bcrypt',
    'Hash algorithm for new passwords.',
  ),
  'auth.type': fixed(
    choice('body', 'basic'),
    'body',
    'How clients send the password to `/auth`: in a JSON body or with HTTP Basic.',
  ),
  'auth.max_failures': fixed(
    integer(1, 1_000_000),
    10,
    'Maximum number of failed logins of one user name within `auth.failure_window`, over all processes; further ones are answered with 429.',
  ),
  'auth.max_failures_address': fixed(
    integer(1, 1_000_000),
    100,
    'Maximum number of failed logins from one address (a 64-bit network for IPv6) within `auth.failure_window`.',
  ),
  'auth.failure_window': fixed(
    duration(1000, 24 * 3_600_000),
    900_000,
    'Time for which a failed login counts.',
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
    'Claim that names the database role for the statements of a request, or is a list with one of `auth.db_roles`.',
  ),
  'auth.db_roles': fixed(
    list('a list of roles', (item) => item !== '' && Buffer.byteLength(item) <= 63),
    [],
    'Roles that the claim may name; others are refused, and so is a list with several of them.',
  ),
  'auth.anonymous_role': unset(
    objectName(),
    'Database role of callers without the claim `auth.db_role`; if not set, they are refused.',
  ),
  'auth.migrate_on_startup': derived(
    boolean(),
    '`auth.enabled`',
    (values) => values['auth.enabled'] === true,
    'Create the users table at start.',
  ),
  'jwt.key': unset(text(), 'Key that signs and verifies tokens: a secret or a PEM.', {
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
    'The only accepted algorithm.',
  ),
  'jwt.jwks': unset(keySet(), 'Key set: JSON, a path or a URL.', { secret: true }),
  'jwt.wellknownurl': unset(
    text('an http or https URL', /^https?:\/\/[^\s\0]+$/),
    'OpenID configuration that names the key set.',
  ),
  'jwt.whitelist': fixed(
    patterns(),
    ['^\\/auth$'],
    'Paths that need no token, as regular expressions that match the whole path without `context`.',
  ),
  'jwt.default': fixed(
    boolean(),
    false,
    'Require a token on every route, as `auth.enabled` does, even if that is off.',
  ),
  'jwt.iss': unset(text(), 'Required issuer of tokens.'),
  'jwt.aud': unset(text(), 'Required audience of tokens.'),
  'jwt.name_claim': unset(
    text('the name of a claim, dots leading into objects', /^[^\s\0]+$/),
    "Claim that is the caller's name; if not set, `UserInfo.username`, else `sub`.",
  ),
  'jwt.require_exp': fixed(boolean(), true, 'Refuse tokens without an expiry time.'),
  'access.restrict': fixed(boolean(), false, 'Deny every table without an entry.'),
  'access.tables': fixed(tables(TABLE_ENTRY, true), [], 'Permissions of all callers on tables.'),
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
  'expose.enabled': fixed(boolean(), false, 'Apply the three keys below.'),
  'expose.databases': fixed(boolean(), true, 'Whether databases are listed.'),
  'expose.schemas': fixed(boolean(), true, 'Whether schemas are listed.'),
  'expose.tables': fixed(boolean(), true, 'Whether tables are listed.'),
  'https.mode': fixed(boolean(), false, 'Serve HTTPS.'),
  'https.cert': unset(path(), 'Certificate, followed by its intermediate certificates (PEM).'),
  'https.key': unset(path(), 'Key of the certificate (PEM, without a passphrase).'),
  'cors.alloworigin': fixed(
    list(),
    [],
    'Origins whose pages may call the service, or `*`. If empty, no CORS headers are sent.',
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
