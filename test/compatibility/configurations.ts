/**
 * Our configurations, by the names that requests give theirs: as a user of pREST would write them here, with the keys
 * that mean the same.
 */
import type { Configuration } from '../support/service.js';
import { SECRET } from '../support/tokens.js';

/** The user that may use the registry. */
export const ADMIN = 'test@postgres.rest';

const AUTHENTICATED: Configuration = {
  'http.host': '127.0.0.1',
  'auth.enabled': true,
  'auth.table': 'prest_users',
  'auth.max_failures': 1_000,
  'jwt.key': SECRET,
};

const GRANTS = [
  { location: 'fulltable', name: 'get_all', permissions: ['read'] },
  { location: 'fulltable', name: 'parse_syntax_invalid', permissions: ['read'] },
  { location: 'error', name: 'query_w_error', permissions: ['read'] },
  { location: 'itest', name: 'ephemeral', permissions: ['read'] },
  { location: 'itest', name: 'readonly', permissions: ['read', 'write'] },
];

const RESTRICTED: Configuration = {
  ...AUTHENTICATED,
  'auth.encrypt': 'md5',
  'queries.restrict': true,
  'queries.scripts': GRANTS,
  'queries.users': [{ name: ADMIN, scripts: GRANTS }],
};

/** configuration is the one of that name; `url` gives the URL of one of the databases. */
export function configuration(name: string, url: (database: string) => string): Configuration {
  const known: Readonly<Record<string, Configuration>> = {
    default: { 'pg.single': false, debug: true },
    silent: { 'pg.single': false },
    sorted: { 'json.agg.type': 'jsonb_agg' },
    auth: { ...AUTHENTICATED, 'access.restrict': true },
    restrict: RESTRICTED,
    queries: {
      ...RESTRICTED,
      'queries.storage': 'database',
      'queries.table': 'prest_queries',
      'queries.register_enabled': true,
      'queries.register_admins': [ADMIN],
    },
    expose: {
      'expose.enabled': true,
      'expose.databases': false,
      'expose.schemas': false,
      'expose.tables': false,
    },
    multicluster: {
      'pg.single': false,
      databases: ['prest-test', 'secondary-db'].map((alias) => ({ alias, url: url(alias) })),
    },
    single: { 'pg.single': true },
    // pREST's http.timeout ends statements; with both limits at 1 s either of ours may be first.
    timeout: { 'http.timeout': 30, 'pg.statement_timeout': 1 },
    context: { context: '/api' },
    open: { 'queries.restrict': true, 'queries.register_enabled': true },
    passwords: { ...AUTHENTICATED, 'auth.table': 'rec_users' },
    basic: { ...AUTHENTICATED, 'auth.table': 'rec_users', 'auth.type': 'basic' },
    jwt: { 'http.host': '127.0.0.1', 'jwt.default': true, 'jwt.key': SECRET },
  };
  const found = known[name];
  if (found === undefined) throw new Error(`no configuration is called ${name}`);
  return found;
}
