/** What PostgreSQL runs when it only parses a statement, the CHECKs of domains in arrays and rows, leaves nothing. */
import t, { type Test } from 'tap';
import { USUAL_LIMITS, Prover } from '#app/proof/branches/prover.js';
import type { Verb } from '#app/script/verb.js';
import { makeScripts, run } from '../commands/program.js';
import { ScriptFolder, TestedProver } from './prover/tested-prover.js';
import { makeTable, TestedRegistry } from '../stored/registry/tested-registry.js';
import { TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { compiled } from './prove-text.js';

/** `seen` and `counted` are of CHECKs that write; `fails` is of one that must not be true. */
const server = await startPostgres(t, {
  setup: `CREATE TABLE log (what text); CREATE SEQUENCE counter; CREATE TABLE item (id int);
    CREATE FUNCTION logs(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO log VALUES ($1::text); RETURN true; END $$;
    CREATE FUNCTION counts(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('counter'); RETURN true; END $$;
    CREATE FUNCTION hides(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
      BEGIN INSERT INTO log VALUES ($1::text); EXCEPTION WHEN read_only_sql_transaction THEN NULL; END;
      RETURN true; END $$;
    CREATE DOMAIN logged AS int CHECK (logs(VALUE)); CREATE TYPE pair AS (one logged, two text);
    CREATE DOMAIN counted AS int CHECK (counts(VALUE)); CREATE DOMAIN hidden AS int CHECK (hides(VALUE));
    CREATE DOMAIN positive AS int CHECK (VALUE > 0);`,
});

const traces = (): Promise<unknown[]> =>
  server.sql(
    `SELECT (SELECT count(*)::int FROM log) AS logged, (SELECT is_called FROM counter) AS counted`,
  );
const NOTHING = [{ logged: 0, counted: false }];

const ARRAY = `SELECT '{1,2}'::logged[] AS list`;
const ROW = `SELECT '(1,x)'::pair AS pair`;
const COUNTED = `SELECT '{1}'::counted[] AS list{{if isSet "id"}} FROM item WHERE id = {{sqlVal "id"}}{{end}}`;
const HIDDEN = `SELECT '{1}'::hidden[] AS list`;
const GOOD = `SELECT '{1}'::positive[] AS list`;
const WRITES = 'constant whose type writes';

const FILES = {
  'a/array.read.sql': ARRAY,
  'a/row.read.sql': ROW,
  'a/counted.read.sql': COUNTED,
  'a/change.write.sql': `INSERT INTO item SELECT 1 WHERE '{1}'::logged[] IS NULL; ${ARRAY}`,
  'a/hidden.read.sql': HIDDEN,
  'a/good.read.sql': GOOD,
  'a/bad.read.sql': `SELECT '{0}'::positive[] AS list`,
};

t.test('the proof of a text', async (t) => {
  const { database } = new TestDatabase(t, server, { connections: 1 });
  const prover = new Prover(database, {
    aggregate: 'json_agg',
    maxResult: 1 << 20,
    limits: USUAL_LIMITS,
    patience: 60_000,
    analysis: database,
  });
  const verdicts: [file: string, verdict: string, open: number][] = [];
  for (const [file, text] of Object.entries(FILES)) {
    const verb = file.split('.')[1] as Verb;
    const proof = await prover.prove('a/script', compiled(text, verb));
    verdicts.push([
      file,
      proof.verdict,
      proof.open.filter(({ what }) => what.includes(WRITES)).length,
    ]);
  }
  t.strictSame(verdicts, [
    ['a/array.read.sql', 'open', 1],
    ['a/row.read.sql', 'open', 1],
    ['a/counted.read.sql', 'open', 1],
    ['a/change.write.sql', 'open', 1],
    ['a/hidden.read.sql', 'proved', 0],
    ['a/good.read.sql', 'proved', 0],
    ['a/bad.read.sql', 'broken', 0],
  ]);
  t.strictSame(await traces(), NOTHING);
});

t.test('the prover of a service', async (t) => {
  const { location: scripts } = new ScriptFolder(t, FILES);
  const prover = new TestedProver(t, server, { scripts });
  await prover.complete();
  t.equal(prover.verdict('a/array'), 'open');
  t.equal(prover.verdict('a/hidden'), 'proved');
  t.strictSame(await traces(), NOTHING);
});

async function command(t: Test, ...args: string[]): Promise<string> {
  const files = Object.entries(FILES).filter(([file]) => file !== 'a/bad.read.sql');
  const folder = makeScripts(t, Object.fromEntries(files));
  const { code, stdout } = await run(folder, args, { DATABASE_URL: server.url });
  t.equal(code, 0);
  return stdout;
}

t.test('check', async (t) => {
  t.match(await command(t, 'check'), /6 scripts, 2 proved, 4 open/);
  t.match(await command(t, 'check', '--privileges'), /6 scripts, 2 proved, 4 open/);
  t.strictSame(await traces(), NOTHING);
});

t.test('contract', async (t) => {
  t.match(await command(t, 'contract'), /"script": "a\/array"/);
  t.strictSame(await traces(), NOTHING);
});

t.test('a validation by the registry', async (t) => {
  await makeTable(t, server);
  const registry = new TestedRegistry(t, server);
  const body = { read_sql: ARRAY };
  const { status, json } = await registry.ask('PUT /v/rec?validate=true&id=1', { body });
  t.equal(status, 201);
  t.match(json, {
    proof: { read: { verdict: 'open', open: [{ what: /constant whose type writes/ }] } },
  });
  t.match((await registry.ask('GET /v/rec?proof')).json, { read: { verdict: 'open' } });
  t.strictSame(await traces(), NOTHING);
});
