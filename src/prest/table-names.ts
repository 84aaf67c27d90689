/**
 * The tables that pREST and this service keep something in: which keys name them, and what both call them when nobody
 * says otherwise. Data only.
 */

/** TABLE_NAMES are the tables of users and of scripts. */
export const TABLE_NAMES = [
  {
    table: { key: 'auth.table', theirs: 'prest_users', ours: 'service_users' },
    columns: [
      { key: 'auth.username', ours: 'username' },
      { key: 'auth.password', ours: 'password' },
    ],
  },
  {
    table: { key: 'queries.table', theirs: 'prest_queries', ours: 'service_queries' },
    columns: [],
  },
] as const;
