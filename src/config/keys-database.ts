/**
 * The configuration keys that say which databases are served and how they are reached. Data only.
 */
import { derived, fixed, unset } from './key.js';
import {
  boolean,
  choice,
  databaseAlias,
  duration,
  identifier,
  integer,
  path,
  size,
  text,
} from './kind.js';
import { optional, required, table, tables } from './tables.js';

const MiB = 1024 ** 2;
const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

const SSL_MODES = choice('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full');
const HOST = text('one host name or address, or the folder of a unix socket', /^[^\s\0,][^\0,]*$/);
const URL_TEXT = text(
  'postgres://user:password@host:port/database?sslmode=…',
  /^postgres(ql)?:\/\//,
);
const PORT = integer(1, 65535);
const USER = text('a non-empty string', /^[^\0]+$/);
const CONNECTIONS = integer(1, 10_000);
const IDLE_CONNECTIONS = integer(0, 10_000);

/** DATABASE_KEYS are the keys of pg and databases. */
export const DATABASE_KEYS = {
  'pg.url': unset(
    URL_TEXT,
    'The database as a URL; what it names wins over the keys below that are set in the same place. The environment variable `DATABASE_URL` sets it too. Parameters: sslmode, sslcert, sslkey, sslrootcert, channel_binding, connect_timeout, and host, port, user, password, dbname.',
    { secret: true },
  ),
  'pg.host': fixed(HOST, '127.0.0.1', 'Host name, address, or folder of the unix socket.'),
  'pg.port': fixed(PORT, 5432, 'Port of the server.'),
  'pg.user': fixed(USER, 'postgres', 'Role to connect as.'),
  'pg.pass': fixed(
    text(),
    'postgres',
    'Password; `postgres` when not set. Empty: libpq looks in `~/.pgpass`.',
    { secret: true },
  ),
  'pg.database': fixed(
    identifier(),
    'postgres',
    'Name of the database, and its alias: the one used when a path names none.',
  ),
  'pg.single': fixed(
    boolean(),
    true,
    'Kept for older files. Only the configured databases are served, whatever it says.',
  ),
  'pg.maxopenconn': fixed(
    CONNECTIONS,
    10,
    'Most connections to one database, of all processes and threads together.',
  ),
  'pg.maxidleconn': derived(
    IDLE_CONNECTIONS,
    '`pg.maxopenconn`',
    (values) => values['pg.maxopenconn'] as number,
    'Most connections kept open while idle, of all processes and threads together; more than `pg.maxopenconn` counts as that many.',
  ),
  'pg.idle_time': fixed(
    duration(0, DAY),
    10 * SECOND,
    'How long a connection beyond `pg.maxidleconn` may be idle before it is closed.',
  ),
  'pg.conntimeout': fixed(
    duration(SECOND, DAY),
    10 * SECOND,
    'How long one attempt to connect may take (whole seconds; libpq takes 1 as 2).',
  ),
  'pg.statement_timeout': derived(
    duration(1, DAY),
    '`http.timeout`',
    (values) => values['http.timeout'] as number,
    'The time one statement may take; then PostgreSQL cancels it and it is answered 504.',
  ),
  'pg.prepared': fixed(
    boolean(),
    true,
    'Prepare statements by name. Switch off behind a pooler that cannot do so in transaction mode.',
  ),
  'pg.max_result': fixed(
    size(1024, 1024 * MiB),
    32 * MiB,
    'Largest result of one statement; a larger one is answered 500.',
  ),
  'pg.result_budget': fixed(
    size(1024, 64 * 1024 * MiB),
    256 * MiB,
    'Most bytes of results that one front-end process holds at one time, shared out over its threads; beyond it requests are answered 503. Of several databases none may take more than what it leaves to the others.',
  ),
  'pg.channel_binding': fixed(
    choice('disable', 'prefer', 'require'),
    'prefer',
    'Whether the password exchange is bound to the TLS connection.',
  ),
  'pg.ssl.mode': fixed(
    SSL_MODES,
    'prefer',
    "TLS to the database, in libpq's words. Only `verify-full` proves which server answers.",
    { alias: 'ssl.mode' },
  ),
  'pg.ssl.cert': unset(path(), 'Client certificate.', { alias: 'ssl.cert' }),
  'pg.ssl.key': unset(path(), 'Key of the client certificate.', { alias: 'ssl.key' }),
  'pg.ssl.rootcert': unset(path(), 'Certificates of the authorities that are trusted.', {
    alias: 'ssl.rootcert',
  }),
  databases: fixed(
    tables(
      {
        alias: required(databaseAlias(), 'Name used in paths.'),
        url: optional(URL_TEXT, 'As `pg.url`; what it names wins over the fields beside it.'),
        host: optional(HOST, 'As `pg.host`.'),
        port: optional(PORT, 'As `pg.port`.'),
        user: optional(USER, 'As `pg.user`.'),
        pass: optional(text(), 'As `pg.pass`. Secret.'),
        database: optional(identifier(), 'As `pg.database`; the alias when not set.'),
        ssl: optional(
          table(
            {
              mode: optional(SSL_MODES, 'As `pg.ssl.mode`.'),
              cert: optional(path(), 'As `pg.ssl.cert`.'),
              key: optional(path(), 'As `pg.ssl.key`.'),
              rootcert: optional(path(), 'As `pg.ssl.rootcert`.'),
            },
            false,
          ),
          'TLS, as the keys of `pg.ssl`, and each of them from there when not set.',
        ),
        maxopenconn: optional(CONNECTIONS, 'As `pg.maxopenconn`, and that when not set.'),
        maxidleconn: optional(
          IDLE_CONNECTIONS,
          'As `pg.maxidleconn`. When not set that, but all of its connections where `pg` keeps all of its own.',
        ),
      },
      false,
    ),
    [],
    'More databases, each under an alias: see [several databases](#several-databases).',
  ),
};
