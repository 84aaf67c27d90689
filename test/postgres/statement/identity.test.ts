/** A statement runs under its identity, which does not outlive it: on real connections, in shared pipelines. */
import { performance } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import { identityOf, IdentityRejected } from '#app/postgres/statement/identity.js';
import { InternalJob } from '#app/postgres/statement/internal-job.js';
import type { DatabaseSettings } from '#app/messages/database-settings.js';
import { describe, TestDatabase, type Outcome } from '../../support/database.js';
import { startPostgres } from '../../support/postgres.js';
import { asAuthenticator, ROLES } from '../roles.js';

const server = await startPostgres(t, { setup: ROLES });
const login = asAuthenticator(server);

const ann = identityOf('ann', undefined);
const bob = identityOf('bob', undefined);
const stranger = identityOf('stranger', undefined);
const nobody = identityOf('nobody', undefined);
const one = identityOf('', '{"tenant":1}');

/** The role and claims that it runs with; NULL is a dash. */
const WHO = `SELECT current_user || ' ' || coalesce(current_setting('request.jwt.claims', true), '-')`;
const PID = 'SELECT pg_backend_pid()';
const recurring = (sql: string) => ({ sql, recurs: true });
const open = (t: Pick<Test, 'teardown'>, settings: Partial<DatabaseSettings> = {}): TestDatabase =>
  new TestDatabase(t, server, { ...login, connections: 1, ...settings });

/** Identities, and what a statement with each sees where none was set before. */
const IDENTITIES: [role: string, claims: string | undefined, seen: string][] = [
  ['', undefined, 'authenticator -'],
  ['ann', undefined, 'ann -'],
  ['', '', 'authenticator {}'],
  ['', '{"tenant":1}', 'authenticator {"tenant":1}'],
  ['bob', '{"a":"\\"é😀\\u0000\'"}', 'bob {"a":"\\"é😀\\u0000\'"}'],
  ['ann', '', 'ann {}'],
];

t.test('each statement sees its own identity', async (t) => {
  for (const prepared of [true, false]) {
    for (const [role, claims, seen] of IDENTITIES) {
      const db = open(t, { prepared });
      const identity = identityOf(role, claims);
      t.equal(describe(await db.read(WHO, { identity })), seen, `${role} ${claims}`);
    }
    const db = open(t, { prepared });
    await db.read(WHO, { identity: identityOf('ann', '{}') });
    const outcomes = await Promise.all(
      [...IDENTITIES, ...IDENTITIES].map(([role, claims]) =>
        db.read(recurring(WHO), { identity: identityOf(role, claims) }),
      ),
    );
    // After it was first set, the setting is empty instead of NULL.
    const wanted = IDENTITIES.map(([, , seen]) => seen.replace(/-$/, ''));
    t.strictSame(outcomes.map(describe), [...wanted, ...wanted], 'in one pipeline');
  }
});

t.test('each identity statement is prepared once on a connection, if at all', async (t) => {
  const names = `SELECT string_agg(name || ' ' || statement, ';' ORDER BY name) FROM pg_prepared_statements WHERE statement LIKE '%set_config%'`;
  for (const prepared of [true, false]) {
    const db = open(t, { prepared });
    for (let i = 0; i < 3; i++)
      for (const [role, claims] of IDENTITIES)
        await db.read(WHO, { identity: identityOf(role, claims) });
    const wanted = [ann, one, identityOf('ann', '')].map(
      (identity, i) => `i${i + 1} ${identity!.statement.sql}`,
    );
    t.equal(describe(await db.read(names)), prepared ? wanted.join(';') : 'affected 0');
  }
});

/** Roles that cannot be set, and why. */
const REJECTED: [identity: typeof ann, role: string, reason: RegExp][] = [
  [stranger, 'stranger', /^permission denied to set role "stranger"$/],
  [nobody, 'nobody', /^role "nobody" does not exist$/],
  [identityOf('stranger', '{"a":1}'), 'stranger', /^permission denied to set role/],
];

t.test('a role that cannot be set is rejected, and the statement does not run', async (t) => {
  for (const prepared of [true, false]) {
    const db = open(t, { prepared });
    const pid = describe(await db.read(PID));
    for (const [identity, role, reason] of REJECTED) {
      const statements = [
        'INSERT INTO bills VALUES (9, $1)',
        'SELECT * FROM nowhere WHERE a = $1',
        'SELEC $1',
        '',
      ].flatMap((sql) => [{ sql, recurs: false }, recurring(sql), recurring(sql)]);
      for (const statement of statements) {
        const [before, rejected, behind] = await Promise.all([
          db.read(WHO, { identity: ann }),
          db.write(statement, { identity, values: ['x'] }),
          db.read(WHO, { identity: bob }),
        ]);
        t.match([before, behind].map(describe), [/^ann /, /^bob /], 'statements beside it');
        if (!(rejected instanceof IdentityRejected)) t.fail(describe(rejected));
        else {
          t.match(rejected, { code: 'permission_denied', status: 403, role });
          t.match(rejected.failure.message, reason);
        }
      }
    }
    t.equal(describe(await db.read(PID)), pid, 'on one connection throughout');
  }
  t.strictSame(await server.sql('SELECT * FROM bills WHERE tenant = 9'), []);
});

t.test('a statement that fails under its role reports its own failure', async (t) => {
  const db = open(t);
  const cases: [sql: string, outcome: string][] = [
    ['SELECT * FROM pg_authid', '42501'],
    [`INSERT INTO notes VALUES ('bob', 1, 'x')`, '42501'],
    [`SELECT set_config('role', 'stranger', true)`, '42501'],
    [`SELECT set_config('role', 'nobody', true)`, '22023'],
    ['SELECT 1 / 0', '22012'],
    ['SELEC 1', '42601'],
  ];
  for (const [sql, outcome] of cases)
    for (const statement of [{ sql, recurs: false }, recurring(sql), recurring(sql)]) {
      const outcomes = await Promise.all([
        db.write(statement, { identity: ann }),
        db.read(WHO, { identity: bob }),
        db.read('SELECT current_user'),
      ]);
      t.match(outcomes.map(describe), [outcome, /^bob /, 'authenticator'], sql);
    }
});

/** How a pooler or an administrator drops prepared statements. */
const DROPPED: [what: string, sql: (name: string) => string][] = [
  ['all', () => 'DISCARD ALL'],
  ['all prepared ones', () => 'DEALLOCATE ALL'],
  ["the identity's", () => 'DEALLOCATE i1'],
  ["the script's", (name) => `DEALLOCATE ${name}`],
];

t.test(
  'prepared statements that are gone are prepared again, and nothing runs twice',
  async (t) => {
    const insert = recurring('INSERT INTO notes (text) VALUES ($1) RETURNING owner || text');
    const add = (db: TestDatabase, text: string): Promise<Outcome> =>
      db.write(insert, { identity: ann, values: [text] });
    for (const [what, drop] of DROPPED) {
      const db = open(t);
      for (const text of ['1', '2']) t.equal(describe(await add(db, text)), `[["ann${text}"]]`);
      const name = describe(
        await db.read(`SELECT name FROM pg_prepared_statements WHERE name LIKE 's%'`),
      );
      db.database.run(new InternalJob(drop(name), []), performance.now());
      const texts = ['3', '4', '5'];
      const outcomes = await Promise.all(texts.map((text) => add(db, text)));
      t.strictSame(
        outcomes.map(describe),
        texts.map((text) => `[["ann${text}"]]`),
        what,
      );
      t.equal(describe(await add(db, '6')), '[["ann6"]]');
      const rows = await server.sql(
        `DELETE FROM notes WHERE owner = 'ann' AND text <> 'by ann' RETURNING text`,
      );
      t.equal(rows.length, 6, `${what}: each once`);
      const left = `SELECT string_agg(name, ' ') FROM pg_prepared_statements WHERE statement LIKE '%set_config%'`;
      t.match(describe(await db.read(left)), /^i\d+$/, `${what}: one is left`);
    }
  },
);

t.test('scripts never evict identity statements', async (t) => {
  const db = open(t);
  const check = async (sql: string, identity: typeof ann, wanted: RegExp): Promise<void> =>
    void t.match(describe(await db.read(recurring(sql), { identity })), wanted);
  for (let round = 0; round < 2; round++)
    await Promise.all(
      Array.from({ length: 600 }, (_, i) =>
        check(`${WHO} || ' ${i}'`, i % 2 ? ann : bob, i % 2 ? /^ann / : /^bob /),
      ),
    );
  const counts = `SELECT count(*) FILTER (WHERE name LIKE 'i%') || ' ' || (count(*) <= 201) FROM pg_prepared_statements`;
  t.equal(describe(await db.read(counts)), '1 true');
});

t.test('a statement that runs on another connection keeps its identity', async (t) => {
  const db = open(t);
  const pid = describe(await db.read(PID));
  const [killed, ...moved] = await Promise.all([
    db.read('SELECT pg_terminate_backend(pg_backend_pid())'),
    db.read(WHO, { identity: identityOf('ann', '{"n":1}') }),
    db.read(WHO, { identity: bob }),
    db.write('INSERT INTO notes (text) VALUES (1)', { identity: ann }),
    db.read(WHO, { identity: stranger }),
    db.read('SELECT current_user'),
  ]);
  t.equal(describe(killed), '57P01');
  t.match(moved.map(describe), [
    'ann {"n":1}',
    /^bob /,
    'affected 1',
    'permission_denied',
    'authenticator',
  ]);
  t.not(describe(await db.read(PID)), pid);
});

t.test('a fault while an identity is set is not a rejection of it', async (t) => {
  const slow = { ...ann!, statement: { sql: 'SELECT pg_sleep(30), $1::text', recurs: false } };
  for (const [end, state] of [
    ['pg_cancel_backend', '57014'],
    ['pg_terminate_backend', '57P01'],
  ] as const) {
    const db = open(t);
    const pid = describe(await db.read(PID));
    const outcome = db.read(WHO, { identity: slow });
    const running = `pid = $1 AND state = 'active' AND query LIKE '%pg_sleep%'`;
    const sql = `SELECT ${end}(pid) FROM pg_stat_activity WHERE ${running}`;
    while ((await server.sql(sql, [pid])).length === 0);
    t.equal(describe(await outcome), state);
    t.match(describe(await db.read(WHO, { identity: ann })), /^ann /, 'and the next one runs');
  }
});
