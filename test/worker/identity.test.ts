/** A request's role and claims in a worker: what its script sees, and the responses to refused identities. */
import t, { type Test } from 'tap';
import type { WorkerSettings } from '#app/messages/worker-settings.js';
import { asAuthenticator, ROLES } from '../postgres/roles.js';
import { databaseSettings } from '../support/http-process.js';
import { startPostgres } from '../support/postgres.js';
import { TestRunner, type Ask } from '../support/query-runner.js';

const server = await startPostgres(t, {
  setup: `${ROLES};
    CREATE TYPE ann.colour AS ENUM ('red', 'blue');
    CREATE TYPE bob.colour AS ENUM ('"green"');
    CREATE FUNCTION is_me(text) RETURNS boolean LANGUAGE sql AS
      $$ SELECT $1 = current_user || (current_setting('request.jwt.claims')::json ->> 'sub') $$;
    CREATE DOMAIN me AS text CHECK (is_me(value))`,
});
const database = { ...databaseSettings('test', server), ...asAuthenticator(server) };

const SEES = `SELECT current_user AS role, current_setting('request.jwt.claims', true)::json AS claims`;
const SCRIPTS = {
  's/who.read.sql': SEES,
  's/who.write.sql': SEES,
  's/who.update.sql': SEES,
  's/who.delete.sql': SEES,
  's/notes.read.sql': `SELECT text FROM notes WHERE owner = {{sqlVal "claims.sub"}} OR {{sqlVal "claims.sub"}}::text IS NULL`,
  's/add.write.sql': `INSERT INTO notes (text) VALUES ({{sqlVal "text"}})`,
  's/fails.write.sql': `INSERT INTO notes (text) VALUES ((1 / (SELECT 0))::text)`,
  's/colour.write.sql': `SELECT colour, ARRAY[colour, colour] AS list FROM (SELECT min(v::text)::colour AS colour FROM unnest(enum_range(NULL::colour)) v) c`,
  's/me.write.sql': `SELECT ARRAY[current_user || 'bob']::me[] AS me`,
};

const runner = (t: Pick<Test, 'testdir'>, settings: Partial<WorkerSettings> = {}): TestRunner =>
  new TestRunner(t, { database, scripts: SCRIPTS, settings });

const ann: Ask = { role: 'ann', claims: '{"sub":"ann","hush":1}' };
const bob: Ask = { role: 'bob', claims: '{"sub":"bob","hush":1}' };

t.test('every verb runs as its caller', async (t) => {
  const r = runner(t, { claimSettings: true });
  const seen = '[{"role":"ann","claims":{"sub":"ann","hush":1}}]';
  t.equal(await r.ask('s/who', ann), `200 ${seen}`);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    t.equal(
      await r.ask('s/who', { ...ann, method }),
      `200 {"rows_affected":1,"rows":${seen}}`,
      method,
    );
  t.equal(await r.ask('s/who', { role: 'bob' }), '200 [{"role":"bob","claims":{}}]', 'no claims');
  t.equal(await r.ask('s/who'), '200 [{"role":"authenticator","claims":{}}]', 'nobody');
});

t.test('claims are in the setting and in templates when that is on, and only then', async (t) => {
  const off = runner(t);
  t.equal(await off.ask('s/who', ann), '200 [{"role":"ann","claims":null}]');
  t.equal(await off.ask('s/notes', ann), '200 [{"text":"by ann"}]');
  t.equal(await off.ask('s/notes?claims.sub=bob', ann), '200 [{"text":"by ann"}]');
  const on = runner(t, { claims: true });
  t.equal(await on.ask('s/who', ann), '200 [{"role":"ann","claims":null}]');
  t.equal(await on.ask('s/notes?claims.sub=bob', ann), '200 [{"text":"by ann"}]');
  t.equal(await on.ask('s/notes', { ...ann, claims: '{"sub":"bob"}' }), '200 []');
});

t.test('a role that cannot be had is 403, and the log says which and why', async (t) => {
  const r = runner(t, { claimSettings: true, claims: true, debug: true });
  const cases: [role: string, state: string, reason: string][] = [
    ['stranger', '42501', "the caller's identity: permission denied to set role …"],
    ['nobody', '22023', "the caller's identity: role … does not exist"],
  ];
  for (const [role, state, msg] of cases) {
    const claims = '{"sub":"hush"}';
    const [before, refused, behind] = await Promise.all([
      r.ask('s/who', { method: 'POST', ...ann }),
      r.ask('s/add?text=hush', { method: 'POST', role, claims }),
      r.ask('s/notes', bob),
    ]);
    t.match(before, /^200 .*"ann"/);
    t.equal(refused, '403 {"error":"permission denied","code":"permission_denied"}');
    t.equal(behind, '200 [{"text":"by bob"}]');
    const place = { requestId: String, script: 's/add', alias: 'test' };
    t.match(r.logged, [{ level: 'warn', ...place, role, state, msg }]);
    t.notMatch(JSON.stringify(r.logged.splice(0)), 'hush');
  }
  t.strictSame(await server.sql(`SELECT * FROM notes WHERE text = 'hush'`), []);
});

t.test('a script that fails under its role is answered and logged as any other', async (t) => {
  const r = runner(t, { claimSettings: true });
  const add = { ...ann, method: 'POST' };
  t.match(await r.ask('s/fails', add), /^400 .*"code":"22012"/);
  t.match(await r.ask('s/add?text=x', { ...add, role: '' }), /^403 .*"code":"42501"/);
  t.match(r.logged, [{ state: '22012' }, { state: '42501' }]);
  t.notMatch(JSON.stringify(r.logged), 'hush');
});

t.test('values of other types are converted under the identity of the statement', async (t) => {
  const r = runner(t, { claimSettings: true });
  const ask = (as: Ask): Promise<string> => r.ask('s/colour', { ...as, method: 'POST' });
  for (let i = 0; i < 2; i++) {
    const [red, green] = ['"blue"', '"\\"green\\""'].map(
      (json) => `200 {"rows_affected":1,"rows":[{"colour":${json},"list":[${json},${json}]}]}`,
    );
    t.strictSame(await Promise.all([ann, bob].map(ask)), [red, green], 'two types by one name');
  }
  const me = '200 {"rows_affected":1,"rows":[{"me":["bobbob"]}]}';
  t.equal(await r.ask('s/me', { ...bob, method: 'POST' }), me, 'whose checks ask who it is');
  t.strictSame(r.logged, []);
});

t.test('a script’s own time limit is set beside the identity', async (t) => {
  const settings = { claimSettings: true };
  const scripts = {
    's/limit.read.sql': `-- @one\n-- @timeout 7s\nSELECT current_setting('statement_timeout') AS time, current_user AS role, current_setting('request.jwt.claims', true) AS claims`,
    's/usual.read.sql': `-- @one\nSELECT current_setting('statement_timeout') <> '7s' AS usual`,
    's/call.write.sql': '-- @timeout 7s\nDO $$ BEGIN PERFORM 1; END $$',
    's/commit.write.sql': '-- @timeout 7s\nDO $$ BEGIN COMMIT; END $$',
  };
  for (const [with_, wanted] of [
    [{}, { role: 'authenticator', claims: '' }],
    [settings, { role: 'authenticator', claims: '{}' }],
  ] as const) {
    const r = new TestRunner(t, { database, scripts, settings: with_ });
    for (let i = 0; i < 3; i++) {
      const [, json = ''] = /^200 (.*)$/.exec(await r.ask('s/limit')) ?? [];
      t.match(JSON.parse(json), { time: '7s', role: wanted.role });
      const [, asAnn = ''] = /^200 (.*)$/.exec(await r.ask('s/limit', ann)) ?? [];
      const claims = 'claimSettings' in with_ ? ann.claims : null;
      t.match(JSON.parse(asAnn), { time: '7s', role: 'ann', claims });
      t.equal(await r.ask('s/usual', ann), '200 {"usual":true}');
    }
  }
  const plain = new TestRunner(t, { database, scripts });
  t.match(await plain.ask('s/call', { method: 'POST' }), /^200 /);
  t.match(await plain.ask('s/commit', { method: 'POST' }), /^500 .*2D000/);
});
