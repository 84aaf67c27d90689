/** Descriptions under an identity: its schemas count, its failures are told from those of the statement. */
import pg from 'pg';
import t, { type Test } from 'tap';
import { ServiceError } from '#app/base/errors.js';
import type { Description } from '#app/native/pipeline.js';
import { identityOf, withTimeout } from '#app/postgres/statement/identity.js';
import type { SqlFailure } from '#app/postgres/statement/sql-failure.js';
import { describe, TestDatabase } from '../support/database.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import { startOwnPostgres } from '../support/postgres.js';
import { without } from '../support/programs.js';
import { asAuthenticator, ROLES } from './roles.js';

const server = await startOwnPostgres(t, {
  setup: `${ROLES}; CREATE SCHEMA api; CREATE TABLE api.item (id int); GRANT USAGE ON SCHEMA api TO ann`,
});
const login = asAuthenticator(server);

function textOf(outcome: Description | SqlFailure | ServiceError): string {
  if (outcome instanceof ServiceError) return outcome.code;
  if ('state' in outcome) return `${outcome.state} ${outcome.position ?? '-'}`;
  return outcome.columns.map(({ name }) => name).join();
}

const CASES: [role: string, sql: string, wanted: string][] = [
  ['stranger', 'SELECT 1', 'permission_denied'],
  ['nobody', 'SELEC 1', 'permission_denied'],
  ['ann', 'SELEC 1', '42601 1'],
  ['ann', 'SELECT nope', '42703 8'],
  ['bob', 'TABLE api.item', '42501 7'],
  ['', 'TABLE api.item', '42501 7'],
  ['', 'TABLE mine', '42P01 7'],
  ['ann', 'TABLE api.item', 'id'],
  ['ann', 'TABLE mine', 'text'],
  ['bob', 'TABLE mine', 'number,text'],
  ['bob', 'SELECT 1 / 0 AS a', 'a'],
];

async function checkCases(t: Test, db: TestDatabase): Promise<void> {
  for (const claims of [undefined, '{"n":1}']) {
    const all = [...CASES, ...CASES].map(([role, sql]) =>
      db.database.describe(sql, { identity: identityOf(role, claims) }),
    );
    const wanted = CASES.map(([, , text]) => text);
    t.strictSame((await Promise.all(all)).map(textOf), [...wanted, ...wanted]);
  }
  t.equal(describe(await db.read('SELECT current_user::text')), 'authenticator', 'it ends');
}

for (const prepared of [true, false])
  t.test(prepared ? 'prepared' : 'unprepared', (t) =>
    checkCases(t, new TestDatabase(t, server, { ...login, connections: 1, prepared })),
  );

t.test('behind PgBouncer', { skip: without('pgbouncer') }, async (t) => {
  const user = { name: 'authenticator', password: 'secret' };
  const pooler = await startPgbouncer(t, server, user, ['default_pool_size = 1']);
  await checkCases(t, new TestDatabase(t, pooler, { connections: 2, prepared: false }));
});

t.test('with a time limit of its own', async (t) => {
  const db = new TestDatabase(t, server, { ...login, connections: 1 });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('BEGIN; LOCK TABLE bills');
  const ann = identityOf('ann', undefined);
  const outcomes = [
    db.database.describe('TABLE bills', { identity: withTimeout(ann, 200) }),
    db.database.describe('TABLE mine', { identity: ann }),
  ];
  t.strictSame((await Promise.all(outcomes)).map(textOf), ['57014 -', 'text']);
});
