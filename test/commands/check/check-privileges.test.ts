/** `check --privileges` names what the roles that run scripts lack: a script that nobody may run is broken. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, run } from '../program.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE books (id int, title text); CREATE TABLE orders (id int, total numeric);
    CREATE ROLE anon; CREATE ROLE staff; CREATE ROLE web LOGIN PASSWORD 'web' IN ROLE anon, staff;
    GRANT SELECT ON books TO staff;
    CREATE SEQUENCE functions; GRANT ALL ON functions TO PUBLIC;
    CREATE FUNCTION count_function() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM nextval('public.functions'); END $$;
    CREATE EVENT TRIGGER made ON ddl_command_end WHEN tag IN ('CREATE FUNCTION') EXECUTE FUNCTION count_function()`,
});
const folder = makeFolder(t);
mkdirSync(join(folder, 'queries/shop'), { recursive: true });
const SCRIPTS = {
  'books.read': 'SELECT id, title FROM books',
  'orders.read': 'SELECT id FROM books\n{{if isSet "t"}}WHERE id IN (SELECT id FROM orders){{end}}',
  'one.read': 'SELECT 1 AS one',
};
for (const [name, text] of Object.entries(SCRIPTS))
  writeFileSync(join(folder, `queries/shop/${name}.sql`), text);

const WRONG = [
  '  error: shop/orders.read.sql: permission denied for table orders (42501)',
  '    when `t` is sent',
];

const url = new URL(server.url);
[url.username, url.password] = ['web', 'web'];

/** Whether a function was made, also one that was rolled back: a sequence is not. */
async function madeFunction(): Promise<boolean> {
  const [row] = await server.sql<{ is_called: boolean }>('SELECT is_called FROM functions');
  return row!.is_called;
}

t.test('not without the flag: nothing is made then', async (t) => {
  const { stdout, code } = await run(folder, ['check', '--json'], { DATABASE_URL: url.href });
  t.equal(code, 0);
  const { proof } = JSON.parse(stdout) as Report;
  t.match(proof, { ok: true, proved: 3, warnings: [] });
  t.notMatch(stdout, /"denied"|"nullable"/);
  t.notOk(await madeFunction());
});

t.test('as the user of the connection', async (t) => {
  const env = { DATABASE_URL: url.href };
  const { stdout, code: status } = await run(folder, ['check', '--privileges'], env);
  t.ok(await madeFunction());
  t.equal(status, 1);
  t.match(
    stdout,
    [
      'proof not ok: 3 scripts, 2 proved, 1 broken',
      ...WRONG,
      '    hint: GRANT SELECT ON public.orders TO web',
    ].join('\n'),
  );
  t.notMatch(stdout, 'denied:');
});

t.test('with roles', async (t) => {
  const env = {
    DATABASE_URL: server.url,
  };
  writeFileSync(
    join(folder, 'service.toml'),
    `[auth]\nenabled = true\ndb_role = "role"\ndb_roles = ["staff", "gone"]\nanonymous_role = "anon"\n[jwt]\nkey = "${'k'.repeat(40)}"\n`,
  );
  const { stdout, code: status } = await run(folder, ['check', '--privileges'], env);
  t.equal(status, 1);
  t.match(
    stdout,
    [
      '  warning: the role "gone" does not exist on database postgres',
      ...WRONG,
      '    hint: for a role that is to run it, for example: GRANT SELECT ON public.orders TO staff',
      '  denied: shop/books.read.sql: the role anon lacks SELECT on table public.books',
    ].join('\n'),
  );
  const { stdout: json } = await run(folder, ['check', '--privileges', '--json'], env);
  const { proof } = JSON.parse(json) as Report;
  const found = proof!.scripts.find(({ file }) => file === 'shop/books.read.sql')!;
  t.strictSame(
    [found.verdict, found.denied, found.columns[0]!.map(({ nullable }) => nullable)],
    ['proved', [{ role: 'anon', object: 'table public.books', right: 'SELECT' }], [true, true]],
  );
  t.notOk('relations' in found);
  const { stderr } = await run(folder, ['contract', '--script', 'shop/books'], env);
  t.equal(stderr, 'warning: the role "gone" does not exist on database postgres\n');
});
