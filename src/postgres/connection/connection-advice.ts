/** What to do when PostgreSQL or libpq refuses a connection: the keys and variables that decide. */

const ADVICE: readonly (readonly [reason: RegExp, advice: string])[] = [
  [
    /no password supplied/,
    'set the password as SERVICE_PG_PASS (pg.pass) or in DATABASE_URL; that of a further database in its own entry or URL',
  ],
  [
    /password authentication failed/,
    'check pg.user and the password, SERVICE_PG_PASS (pg.pass) or in DATABASE_URL; of a further database those of its own entry or URL',
  ],
  [/role ".*" does not exist/, 'check pg.user, or the user in DATABASE_URL'],
  [/database ".*" does not exist/, 'check pg.database, or the name in DATABASE_URL'],
  [
    /Connection refused|could not translate host name|No such file or directory/,
    'is PostgreSQL running there? check pg.host and pg.port, or DATABASE_URL',
  ],
];

/** withAdvice adds to the reason of a failed connection what to do about it, where that is known. */
export function withAdvice(reason: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  return advice === undefined ? reason : `${reason}; ${advice}`;
}
