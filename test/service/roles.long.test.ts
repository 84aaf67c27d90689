/** Tokens decide the database role and the settings that statements run with, from the header to row-level security. */
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';
import { SECRET, signToken } from '../support/tokens.js';

const postgres = await startPostgres(t, {
  setup: `
    CREATE ROLE web NOLOGIN; CREATE ROLE staff NOLOGIN; CREATE ROLE anon NOLOGIN;
    CREATE ROLE authenticator LOGIN NOINHERIT PASSWORD 'a';
    GRANT web, staff, anon TO authenticator;
    CREATE TABLE note (id int PRIMARY KEY, owner text, word text);
    INSERT INTO note VALUES (1, 'ann', 'of ann'), (2, 'bob', 'of bob');
    GRANT SELECT, INSERT, UPDATE, DELETE ON note TO web, staff;
    CREATE PROCEDURE leave() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$;
    ALTER TABLE note ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON note TO web USING (owner = current_setting('request.jwt.claims')::json ->> 'sub');
    CREATE POLICY every ON note TO staff USING (true)`,
});
const { host, port } = postgres;

const service = await startService(t, {
  database: `postgres://authenticator:a@${host}:${port}/postgres`,
  scripts: {
    's/note.read.sql': 'SELECT id FROM note ORDER BY id',
    's/note.write.sql':
      'INSERT INTO note VALUES ({{sqlVal "id"}}::int, {{sqlVal "owner"}}, null) RETURNING id',
    's/note.delete.sql': 'DELETE FROM note',
    's/me.read.sql': `SELECT current_user AS role, current_setting('request.jwt.claims', true)::json ->> 'sub' AS sub, {{sqlVal "claims.sub"}} AS bound`,
    's/call.write.sql': 'CALL leave()',
    's/do.write.sql': "DO $$ BEGIN COMMIT; INSERT INTO note VALUES (9, 'eve', null); END $$",
    's/shown.read.sql': `SELECT '{{.claims}}' AS claims`,
  },
  config: {
    'auth.enabled': true,
    'auth.migrate_on_startup': false,
    'auth.claims': true,
    'auth.settings': true,
    'auth.db_role': 'app.role',
    'auth.db_roles': ['web', 'staff', 'anon', 'gone'],
    'auth.anonymous_role': 'anon',
    'http.host': '127.0.0.1',
    'jwt.key': SECRET,
    'jwt.whitelist': ['^/_QUERIES/s/.*$'],
  },
});

const as = (role: unknown, sub?: string): { readonly headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${signToken({ sub, app: { role } })}` },
});

t.test('each caller sees what row-level security lets him', async (t) => {
  t.strictSame(await service.rows('s/note', as('web', 'ann')), [{ id: 1 }]);
  t.strictSame(await service.rows('s/note', as('web', 'bob')), [{ id: 2 }]);
  t.strictSame(await service.rows('s/note', as('web', 'eve')), []);
  t.strictSame(await service.rows('s/note', as('web')), []);
  t.strictSame(await service.rows('s/note', as('staff', 'ann')), [{ id: 1 }, { id: 2 }]);
  t.equal(await service.error('s/note'), '403 42501', 'nobody is the anonymous role');
});

t.test('writing too', async (t) => {
  const post = (query: string, who: ReturnType<typeof as>): Promise<string> =>
    service.error(`s/note?${query}`, { method: 'POST', ...who });
  t.equal(await post('id=3&owner=bob', as('web', 'ann')), '403 42501');
  t.equal(await post('id=3&owner=ann', as('web', 'ann')), '200');
  const gone = await service.ask('s/note', { method: 'DELETE', ...as('web', 'bob') });
  t.strictSame(gone.json, { rows_affected: 1 });
  t.strictSame(await service.rows('s/note', as('staff')), [{ id: 1 }, { id: 3 }]);
});

t.test('who a script takes the caller for', async (t) => {
  const cases: [who: ReturnType<typeof as> | undefined, expected: unknown][] = [
    [as('web', 'ann'), { role: 'web', sub: 'ann', bound: 'ann' }],
    [as('staff', "o'b"), { role: 'staff', sub: "o'b", bound: "o'b" }],
    [as('web'), { role: 'web', sub: null, bound: null }],
    [undefined, { role: 'anon', sub: null, bound: null }],
  ];
  for (const [who, expected] of cases)
    for (const query of ['', '?claims.sub=eve&sub=eve&claims=eve'])
      t.strictSame(await service.rows(`s/me${query}`, who), [expected]);
});

t.test('nothing ends the transaction that the role is set for', async (t) => {
  for (const name of ['s/call', 's/do'])
    t.equal(
      await service.error(name, { method: 'POST', ...as('web', 'ann') }),
      '500 statement_not_allowed',
      name,
    );
  t.strictSame(await service.rows('s/note', as('staff')), [{ id: 1 }, { id: 3 }]);
});

t.test('claims are bound, and never put into a text', async (t) => {
  const shown = await service.ask('s/shown', as('web', 'ann'));
  t.notMatch(shown.text, /ann/);
});

t.test('the role of a list that is one of the configured', async (t) => {
  for (const list of [['web'], ['offline_access', 'web', 'postgres'], ['web', 'web']])
    t.strictSame(
      await service.rows('s/me', as(list, 'ann')),
      [{ role: 'web', sub: 'ann', bound: 'ann' }],
      JSON.stringify(list),
    );
});

t.test('roles that are not to be had', async (t) => {
  const single = ['authenticator', 'postgres', 'Web', 'none', '', 'web ', { a: 1 }, 7];
  const lists = [[], ['postgres', 'Web', 7, ['web']], ['web', 'staff']];
  for (const role of [...single, ...lists])
    t.equal(
      await service.error('s/me', as(role, 'ann')),
      '403 permission_denied',
      JSON.stringify(role),
    );
  t.equal(await service.error('s/me', as('gone', 'ann')), '403 permission_denied', 'not in the database'); // prettier-ignore
  t.strictSame(await service.rows('s/me', as('web', 'ann')), [
    { role: 'web', sub: 'ann', bound: 'ann' },
  ]);
});

t.test('what one request was is nothing to the next', async (t) => {
  const names = Array.from({ length: 300 }, (_, i) => `u${i}`);
  const seen = await Promise.all(
    names.map((name, i) => {
      const who = i % 3 === 2 ? undefined : as(i % 3 === 0 ? 'web' : 'staff', name);
      return service.rows('s/me', who);
    }),
  );
  for (const [i, rows] of seen.entries()) {
    const role = ['web', 'staff', 'anon'][i % 3];
    const sub = i % 3 === 2 ? null : names[i];
    t.strictSame(rows, [{ role, sub, bound: sub }]);
  }
});

t.test('the log tells of the role, and of no claim', (t) => {
  t.match(service.output, /"role":"gone"/);
  t.notMatch(service.output, /o'b|"u1"|eyJ/);
  t.end();
});
