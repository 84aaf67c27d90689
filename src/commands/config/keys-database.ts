/**
 * The configuration keys of databases and connections. Data only.
 */
import { URL_FORM } from './database-url.js';
import { derived, fixed, unset } from './key.js';
import {
  DAY,
  MiB,
  SECOND,
  boolean,
  choice,
  databaseAlias,
  duration,
  objectName,
  integer,
  lag,
  list,
  path,
  size,
  text,
} from './kind.js';
import { optional, required, table, tables } from './tables.js';

const SSL_MODES = choice('disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full');
const HOST = text('one host name or address, or the folder of a unix socket', /^[^\s\0,][^\0,]*$/);
const URL_TEXT = text(URL_FORM, /^postgres(ql)?:\/\//);
const URLS = list(`a list of ${URL_FORM}, at most 16`);
const PORT = integer(1, 65535);
const USER = text('a non-empty string', /^[^\0]+$/);
const CONNECTIONS = integer(1, 10_000);
const IDLE_CONNECTIONS = integer(0, 10_000);

export const DATABASE_KEYS = {
  'pg.url': unset(
    URL_TEXT,
    'URL of the database. Its parts take precedence over the keys below that are set in the same place. The environment variable `DATABASE_URL` sets it too. Parameters: sslmode, sslcert, sslkey, sslrootcert, channel_binding, connect_timeout, and host, port, user, password, dbname.',
    { secret: true },
  ),
  'pg.host': fixed(HOST, '127.0.0.1', 'Host name, address, or folder of the unix socket.'),
  'pg.port': fixed(PORT, 5432, 'Port of the server.'),
  'pg.user': fixed(USER, 'postgres', 'Role to connect as.'),
  'pg.pass': fixed(
    text(),
    'postgres',
    'Password; `postgres` by default. If empty, libpq reads `~/.pgpass`.',
    { secret: true },
  ),
  'pg.database': fixed(
    objectName(),
    'postgres',
    'Name of the default database, which is also its alias.',
  ),
  'pg.maxopenconn': fixed(
    CONNECTIONS,
    10,
    'Maximum number of connections to one database, over all processes and threads.',
  ),
  'pg.maxidleconn': derived(
    IDLE_CONNECTIONS,
    '`pg.maxopenconn`',
    (values) => values['pg.maxopenconn'] as number,
    'Maximum number of idle connections kept open, over all processes and threads; at most `pg.maxopenconn`.',
  ),
  'pg.idle_time': fixed(
    duration(0, DAY),
    10 * SECOND,
    'Idle time after which a connection beyond `pg.maxidleconn` is closed.',
  ),
  'pg.conntimeout': fixed(
    duration(SECOND, DAY),
    10 * SECOND,
    'Time limit of a connection attempt (whole seconds; libpq treats 1 as 2).',
  ),
  'pg.statement_timeout': derived(
    duration(1, DAY),
    '`http.timeout`',
    (values) => values['http.timeout'] as number,
    'Time limit of a statement; PostgreSQL then cancels it and the response is 504.',
  ),
  'pg.prepared': fixed(
    boolean(),
    true,
    'Prepare statements by name. Set it to false behind a pooler that does not support this in transaction mode.',
  ),
  'pg.max_result': fixed(
    size(1024, 1024 * MiB),
    32 * MiB,
    'Maximum size of the result of a statement; a larger one is answered with 500.',
  ),
  'pg.result_budget': fixed(
    size(1024, 64 * 1024 * MiB),
    256 * MiB,
    'Maximum size of all results in one HTTP process at a time, divided between its threads; beyond it, requests are answered with 503. With several databases, none may use more than it leaves free.',
  ),
  'pg.channel_binding': fixed(
    choice('disable', 'prefer', 'require'),
    'prefer',
    'Whether password authentication is bound to the TLS connection.',
  ),
  'pg.ssl.mode': fixed(
    SSL_MODES,
    'prefer',
    "TLS to the database, with libpq's values. Only `verify-full` verifies the identity of the server.",
    { alias: 'ssl.mode' },
  ),
  'pg.ssl.cert': unset(path(), 'Client certificate.', { alias: 'ssl.cert' }),
  'pg.ssl.key': unset(path(), 'Key of the client certificate.', { alias: 'ssl.key' }),
  'pg.ssl.rootcert': unset(path(), 'Certificates of the trusted authorities.', {
    alias: 'ssl.rootcert',
  }),
  'pg.replicas': unset(
    URLS,
    'URLs of the replicas of the server, which run read-only statements: see [scaling.md](scaling.md#replicas). What a URL does not contain is taken from the database. None by default.',
    { secret: true },
  ),
  'pg.max_lag': fixed(
    lag(),
    { time: 10 * SECOND },
    'How far a replica may be behind the primary, in bytes of WAL or in time: one that is further behind gets no statements until it is within half of that.',
  ),
  'pg.lsn_wait': fixed(
    duration(0, 60 * SECOND),
    100,
    'How long a request with `Service-LSN` waits for a replica that has replayed that position; then the primary runs it.',
  ),
  'pg.lsn_cookie': fixed(
    boolean(),
    false,
    'Whether `Service-LSN` is also set as a cookie for each database, which browsers send back by themselves: see [http.md](http.md#read-your-own-writes).',
  ),
  'pg.failover_wait': fixed(
    duration(0, 60 * SECOND),
    5 * SECOND,
    'With replicas: how long a statement waits for a primary while no server is one; then the response is 503.',
  ),
  databases: fixed(
    tables(
      {
        alias: required(databaseAlias(), 'Name used in paths.'),
        url: optional(URL_TEXT, 'As `pg.url`; its parts take precedence over the other members.'),
        host: optional(HOST, 'As `pg.host`.'),
        port: optional(PORT, 'As `pg.port`.'),
        user: optional(USER, 'As `pg.user`.'),
        pass: optional(text(), 'As `pg.pass`. Secret.'),
        database: optional(objectName(), 'As `pg.database`; the alias by default.'),
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
          'TLS, with the members of `pg.ssl`, which are also the defaults.',
        ),
        replicas: optional(
          URLS,
          'As `pg.replicas`, which are also the replicas of an entry on the server of `pg`. Secret.',
        ),
        maxopenconn: optional(CONNECTIONS, 'As `pg.maxopenconn`, which is also the default.'),
        maxidleconn: optional(
          IDLE_CONNECTIONS,
          'As `pg.maxidleconn`, which is also the default; if `pg` keeps all its connections open, so does this database.',
        ),
      },
      false,
    ),
    [],
    'Further databases, each with an alias: see [several databases](#several-databases).',
  ),
};
