/** Identities behind PgBouncer in transaction mode, where one session of PostgreSQL serves many connections in turn. */
import t from 'tap';
import { identityOf } from '#app/postgres/statement/identity.js';
import { describe, fastCost, TestDatabase } from '../support/database.js';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { ROLES } from './roles.js';

const CLIENTS = 3;
const ROUNDS = 40;
const WHO = `SELECT current_user || ' ' || coalesce(nullif(current_setting('request.jwt.claims', true), ''), '-') || ' ' || $1`;
const FAILS = 'SELECT 1 / ($1::int - $1::int)';

const absent = without('pgbouncer');
const version = pgbouncerVersion();
/** From 1.21 on it keeps what was prepared by name. */
const unable =
  version !== undefined && 100 * version[0] + version[1] < 121
    ? `PgBouncer ${version.join('.')} keeps nothing prepared`
    : false;

const cases: [prepared: boolean, skip: string | false, settings: string[]][] = [
  [false, absent, []],
  [true, absent || unable, ['max_prepared_statements = 200']],
];

for (const [prepared, skip, settings] of cases)
  t.test(prepared ? 'prepared' : 'unprepared', { skip }, async (t) => {
    const server = await startOwnPostgres(t, { setup: ROLES });
    const user = { name: 'authenticator', password: 'secret' };
    const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 2', ...settings]);
    const clients = Array.from(
      { length: CLIENTS },
      () => new TestDatabase(t, pooler, { connections: 2, prepared }),
    );
    const cost = fastCost();
    const wrong: string[] = [];
    const ask = async (db: TestDatabase, role: string, n: number): Promise<void> => {
      const claims = role === '' ? undefined : `{"n":${n}}`;
      const fails = n % 7 === 0;
      const statement = { sql: fails ? FAILS : WHO, recurs: n % 5 > 0 };
      const identity = identityOf(role, claims);
      const got = describe(await db.read(statement, { identity, cost, values: [String(n)] }));
      let wanted = role === '' ? `authenticator - ${n}` : `${role} ${claims} ${n}`;
      if (role === 'stranger') wanted = 'permission_denied';
      else if (fails) wanted = '22012';
      if (got !== wanted) wrong.push(`${wanted}: ${got}`);
    };
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all(
        clients.flatMap((db, i) =>
          ['ann', 'bob', '', 'stranger', 'ann'].map((role, j) =>
            ask(db, role, 100 * round + 10 * i + j),
          ),
        ),
      );
    t.strictSame(wrong.slice(0, 10), []);
    const [sessions] = await server.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'authenticator'`,
    );
    t.ok(sessions!.n <= 2, `${sessions!.n} sessions serve all`);
  });
