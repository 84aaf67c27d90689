/** A trace id is in application_name for its statement only: on real connections, in shared pipelines, with any identity. */
import t, { type Test } from 'tap';
import {
  identityOf,
  withTimeout,
  withTraceId,
  type Identity,
} from '#app/postgres/statement/identity.js';
import { describe, fastCost, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { asAuthenticator, ROLES } from './roles.js';

const server = await startPostgres(t, { setup: ROLES });
const login = asAuthenticator(server);
const trace = (i: number) => `${'ab'.repeat(14)}${String(i).padStart(4, '0')}`;

const open = (t: Pick<Test, 'teardown'>, prepared: boolean): TestDatabase =>
  new TestDatabase(t, server, { ...login, connections: 1, prepared });
const NAME = { sql: `SELECT current_user || ' ' || current_setting('application_name') || ' ' || coalesce(nullif(current_setting('request.jwt.claims', true), ''), '-') || ' ' || current_setting('statement_timeout')`, recurs: true }; // prettier-ignore

/** Identities, and what a statement with each sees. */
const IDENTITIES: readonly (readonly [Identity | undefined, string])[] = [
  [undefined, 'authenticator tested - 0'],
  [identityOf('ann', undefined), 'ann tested - 0'],
  [identityOf('', '{"a":1}'), 'authenticator tested {"a":1} 0'],
  [identityOf('ann', '{"a":1}'), 'ann tested {"a":1} 0'],
];

t.test('each statement has its own', async (t) => {
  for (const prepared of [true, false]) {
    const db = open(t, prepared);
    const cost = fastCost();
    const asked: Promise<string>[] = [];
    const wanted: string[] = [];
    for (let round = 0; round < 3; round++)
      for (const [i, [identity, seen]] of IDENTITIES.entries()) {
        const named = `sql-rest-service ${trace(i)}`;
        const cases: [Identity | undefined, string][] = [
          [identity, seen],
          [withTraceId(identity, trace(i)), seen.replace('tested', named)],
          [withTimeout(withTraceId(identity, trace(i)), 77_000), seen.replace('tested', named).replace(/0$/, '77s')], // prettier-ignore
          [withTraceId(withTimeout(identity, 77_000), trace(i)), seen.replace('tested', named).replace(/0$/, '77s')], // prettier-ignore
          [identity, seen],
        ];
        for (const [one, text] of cases) {
          asked.push(db.read(NAME, { identity: one, cost }).then(describe));
          wanted.push(text);
        }
      }
    t.same(await Promise.all(asked), wanted, prepared ? 'prepared' : 'not prepared');
  }
});

t.test('a failure leaves nothing, neither does a role that cannot be set', async (t) => {
  const db = open(t, true);
  const bad = { sql: 'SELECT 1 / 0', recurs: true };
  for (let i = 0; i < 3; i++) {
    const outcomes = await Promise.all([
      db.read(bad, { identity: withTraceId(undefined, trace(1)) }),
      db.read(NAME),
      db.read(NAME, { identity: withTraceId(identityOf('stranger', undefined), trace(2)) }),
      db.read(NAME),
      db.read(bad, { identity: withTraceId(undefined, trace(1)), readOnly: true }),
      db.read(NAME),
    ]);
    const [failed, first, rejected, second, aborted, third] = outcomes.map(describe);
    t.match([failed, aborted], ['22012', '22012']);
    t.match(rejected, /permission_denied|403|42501/);
    t.same([first, second, third], Array(3).fill('authenticator tested - 0'));
  }
});

t.test('PostgreSQL shows it while the statement runs', async (t) => {
  const db = open(t, true);
  const name = `sql-rest-service ${trace(9)}`;
  const running = `SELECT FROM pg_stat_activity WHERE application_name = '${name}' AND state = 'active'`;
  const sleeping = db.read('SELECT pg_sleep(1000)', { identity: withTraceId(undefined, trace(9)) });
  while ((await server.sql(running)).length === 0)
    await new Promise((next) => setTimeout(next, 10));
  await server.sql(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = '${name}'`); // prettier-ignore
  t.equal(describe(await sleeping), '57014');
  t.equal(describe(await db.read(NAME)), 'authenticator tested - 0');
});
