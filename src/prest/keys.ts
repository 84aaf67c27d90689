/**
 * Every key that pREST 2.4.2 reads, with its default there and what becomes of it. Data only; keys that have to be looked
 * at together are worked out in the modules beside.
 */
import { boolean, integer, list, path, tables, text, word } from './reader.js';
import { adapted, same, together, unused, type PrestKey } from './rule.js';

const NO_CACHE = 'answers are not cached here';
const NO_TELEMETRY = 'nothing is sent to a collector here; the log has what there is';
const NO_STUDIO = 'there is no Studio here';

/** PREST_KEYS are the keys of pREST 2.4.2, in the order of its sample file. */
export const PREST_KEYS: Readonly<Record<string, PrestKey>> = {
  version: unused(integer, 'it numbers the format of prest.toml'),
  context: adapted(text, '/', (value: string) => [value === '' ? '/' : value]),
  debug: together(boolean, false),
  pluginpath: together(path, './lib'),
  migrations: unused(path, 'migrations of the database are left to a tool of their own'),
  pluginmiddlewarelist: together(tables, []),

  'http.host': together(text, '0.0.0.0'),
  'http.port': same(integer, 3000),
  'http.timeout': same(integer, 60),

  'https.mode': same(boolean, false),
  'https.cert': together(path, '/etc/certs/cert.crt'),
  'https.key': together(path, '/etc/certs/cert.key'),

  'pg.url': together(text),
  'pg.host': together(text, '127.0.0.1'),
  'pg.port': together(integer, 5432),
  'pg.user': together(text, 'postgres'),
  'pg.pass': together(text, 'postgres'),
  'pg.database': together(text, 'prest'),
  'pg.ssl.mode': together(text, 'disable'),
  'pg.ssl.cert': same(path),
  'pg.ssl.key': same(path),
  'pg.ssl.rootcert': same(path),
  'pg.maxopenconn': adapted(integer, 10, (value: number) =>
    value > 0
      ? [value]
      : [undefined, 'it means any number to pREST; here there are 10 unless it is set'],
  ),
  'pg.maxidleconn': adapted(integer, 0, (value: number) =>
    value > 0
      ? [value]
      : [
          undefined,
          'pREST closes each connection after use, because of a leak that is not here; all may stay open unless it is set',
        ],
  ),
  'pg.conntimeout': adapted(integer, 10, (value: number) =>
    value > 0
      ? [value]
      : [undefined, 'it means no limit to pREST; here it is 10 s unless it is set'],
  ),
  'pg.single': together(boolean, true),
  'pg.cache': unused(boolean, NO_CACHE),
  databases: together(tables, []),

  'auth.enabled': together(boolean, false),
  'auth.migrate_on_startup': same(boolean),
  'auth.schema': same(text, 'public'),
  'auth.table': together(text, 'prest_users'),
  'auth.username': together(text, 'username'),
  'auth.password': together(text, 'password'),
  'auth.encrypt': same(word, 'bcrypt'),
  'auth.metadata': together(list, []),
  'auth.type': same(text, 'body'),

  'jwt.default': together(boolean, false),
  'jwt.key': together(text, ''),
  'jwt.algo': together(text, 'HS256'),
  'jwt.jwks': together(text, ''),
  'jwt.wellknownurl': together(text, ''),
  'jwt.whitelist': together(list, ['^\\/auth$']),

  'access.restrict': same(boolean, false),
  'access.ignore_table': together(list, []),
  'access.tables': together(tables, []),
  'access.users': together(tables, []),

  'expose.enabled': same(boolean, false),
  'expose.databases': same(boolean, true),
  'expose.schemas': same(boolean, true),
  'expose.tables': same(boolean, true),

  'cors.alloworigin': together(list, ['*']),
  'cors.allowheaders': together(list, ['Content-Type']),
  'cors.allowmethods': together(list, ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']),
  'cors.allowcredentials': together(boolean, true),

  'queries.location': together(path),
  'queries.storage': adapted(word, 'filesystem', (value: string) =>
    ['filesystem', 'database'].includes(value)
      ? [value]
      : [undefined, 'pREST does not know the word and takes filesystem, as this service does'],
  ),
  'queries.schema': adapted(text, 'public', (value: string) => [value === '' ? 'public' : value]),
  'queries.table': together(text, 'prest_queries'),
  'queries.restrict': same(boolean, false),
  'queries.register_enabled': same(boolean, false),
  'queries.register_admins': same(list, []),
  'queries.migrate_on_startup': same(boolean),
  'queries.import_on_startup': same(boolean),
  'queries.import_policy': adapted(word, 'update', (value: string) =>
    ['skip', 'update', 'error'].includes(value)
      ? [value]
      : [undefined, 'pREST does not know the word and takes update, as this service does'],
  ),
  'queries.scripts': together(tables, []),
  'queries.users': together(tables, []),

  'json.agg.type': together(text, 'jsonb_agg'),

  'studio.enabled': unused(boolean, NO_STUDIO),
  'cache.enabled': together(boolean, false),
  'cache.time': unused(integer, NO_CACHE),
  'cache.storagepath': unused(path, NO_CACHE),
  'cache.sufixfile': unused(text, NO_CACHE),
  'cache.endpoints': unused(tables, NO_CACHE),
  'otel.enabled': unused(boolean, NO_TELEMETRY),
  'otel.service_name': unused(text, NO_TELEMETRY),
  'otel.endpoint': unused(text, NO_TELEMETRY),
  'otel.protocol': unused(text, NO_TELEMETRY),
  'otel.sample_ratio': unused(text, NO_TELEMETRY),
  'otel.metrics_interval': unused(text, NO_TELEMETRY),
  'otel.insecure': unused(boolean, NO_TELEMETRY),
  'otel.db_statement': unused(boolean, NO_TELEMETRY),
};
