/**
 * All keys of pREST 2.4.2, with pREST's defaults and the rules for their conversion. Data only; keys that depend on each
 * other are converted by other modules of this folder.
 */
import { boolean, integer, list, path, tables, text, word } from './reader.js';
import { adapted, combined, same, unused, type PrestKey } from './rule.js';

const NO_CACHE = 'answers are not cached here';
const NO_TELEMETRY = 'nothing is sent to a collector here; the log has what there is';
const NO_STUDIO = 'there is no Studio here';

/** PREST_KEYS are the keys of pREST 2.4.2, in the order of its sample file. */
export const PREST_KEYS: Readonly<Record<string, PrestKey>> = {
  version: unused(integer, 'it numbers the format of prest.toml'),
  context: adapted(text, '/', (value: string) => [value === '' ? '/' : value]),
  debug: combined(boolean, false),
  pluginpath: combined(path, './lib'),
  migrations: unused(path, 'migrations of the database are left to a tool of their own'),
  pluginmiddlewarelist: combined(tables, []),

  'http.host': combined(text, '0.0.0.0'),
  'http.port': same(integer, 3000),
  'http.timeout': same(integer, 60),

  'https.mode': same(boolean, false),
  'https.cert': combined(path, '/etc/certs/cert.crt'),
  'https.key': combined(path, '/etc/certs/cert.key'),

  'pg.url': combined(text),
  'pg.host': combined(text, '127.0.0.1'),
  'pg.port': combined(integer, 5432),
  'pg.user': combined(text, 'postgres'),
  'pg.pass': combined(text, 'postgres'),
  'pg.database': combined(text, 'prest'),
  'pg.ssl.mode': combined(text, 'disable'),
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
  'pg.single': combined(boolean, true),
  'pg.cache': unused(boolean, NO_CACHE),
  databases: combined(tables, []),

  'auth.enabled': combined(boolean, false),
  'auth.migrate_on_startup': same(boolean),
  'auth.schema': same(text, 'public'),
  'auth.table': combined(text, 'prest_users'),
  'auth.username': combined(text, 'username'),
  'auth.password': combined(text, 'password'),
  'auth.encrypt': same(word, 'bcrypt'),
  'auth.metadata': combined(list, []),
  'auth.type': same(text, 'body'),

  'jwt.default': combined(boolean, false),
  'jwt.key': combined(text, ''),
  'jwt.algo': combined(text, 'HS256'),
  'jwt.jwks': combined(text, ''),
  'jwt.wellknownurl': combined(text, ''),
  'jwt.whitelist': combined(list, ['^\\/auth$']),

  'access.restrict': same(boolean, false),
  'access.ignore_table': combined(list, []),
  'access.tables': combined(tables, []),
  'access.users': combined(tables, []),

  'expose.enabled': same(boolean, false),
  'expose.databases': same(boolean, true),
  'expose.schemas': same(boolean, true),
  'expose.tables': same(boolean, true),

  'cors.alloworigin': combined(list, ['*']),
  'cors.allowheaders': combined(list, ['Content-Type']),
  'cors.allowmethods': combined(list, ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']),
  'cors.allowcredentials': combined(boolean, true),

  'queries.location': combined(path),
  'queries.storage': adapted(word, 'filesystem', (value: string) =>
    ['filesystem', 'database'].includes(value)
      ? [value]
      : [undefined, 'pREST does not know the word and takes filesystem, as this service does'],
  ),
  'queries.schema': adapted(text, 'public', (value: string) => [value === '' ? 'public' : value]),
  'queries.table': combined(text, 'prest_queries'),
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
  'queries.scripts': combined(tables, []),
  'queries.users': combined(tables, []),

  'json.agg.type': combined(text, 'jsonb_agg'),

  'studio.enabled': unused(boolean, NO_STUDIO),
  'cache.enabled': combined(boolean, false),
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
