/** What `serve` says about its start: the configuration, the databases, the scripts, and who may run them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { makeFolder, makeScripts, start } from '../program.js';

type Line = Readonly<Record<string, unknown>>;

/** The lines of a start until `last` is among them, by what they are about. */
async function served(
  t: Test,
  folder: string,
  env: Readonly<Record<string, string>>,
  last = /"served":"scripts"/,
): Promise<{
  readonly lines: readonly Line[];
  readonly about: (served: string) => readonly Line[];
}> {
  const program = start(folder, ['serve', '--http.port=0', '--http.processes=2'], env);
  t.teardown(() => program.child.kill('SIGKILL'));
  await Promise.all([program.seen(/"served":"access"/), program.seen(last)]);
  program.child.kill('SIGTERM');
  const { stdout } = await program.finished;
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return { lines, about: (about) => lines.filter((line) => line['served'] === about) };
}

t.test('nothing is there', async (t) => {
  const folder = makeFolder(t);
  const { lines, about } = await served(t, folder, {
    DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/d',
  });
  t.match(about('configuration'), [
    {
      file: null,
      msg: `there is no configuration file: neither service.toml in ${folder}, nor --config, nor SERVICE_CONF; variables, flags and defaults apply`,
    },
  ]);
  t.match(about('folder'), [
    {
      level: 40,
      msg: `there was no folder ${folder}/queries: it was made, empty; queries.location names the folder of scripts`,
    },
  ]);
  t.match(about('scripts'), [
    {
      level: 40,
      count: 0,
      broken: 0,
      msg: `there are no scripts in the folder ${folder}/queries yet: a file <folder>/<name>.read.sql there is served at /_QUERIES/<folder>/<name>`,
    },
  ]);
  t.match(about('access'), [
    {
      authentication: false,
      restrict: false,
      msg: 'everyone who reaches the service may run every script, and read every table of its database user over MCP: authentication is off, http.host is 127.0.0.1, this machine only',
    },
  ]);
  t.same(about('database'), []);
  const down = lines.filter(({ msg }) => String(msg).startsWith('the database does not answer: '));
  t.equal(down.length, 2, 'of each HTTP process');
  t.notMatch(JSON.stringify(lines), 'hush');
});

t.test('a database and scripts, one of them broken', async (t) => {
  const postgres = await startPostgres(t);
  const folder = makeScripts(t, {
    'shop/list.read.sql': 'SELECT 1 AS one',
    'shop/list.write.sql': 'SELECT 1 AS one',
    'shop/bad.read.sql': 'SELECT {{sqlVall "x"}}',
    'shop/bad.sql': 'SELECT 1',
    'loose.read.sql': 'SELECT 1',
  });
  writeFileSync(
    join(folder, 'service.toml'),
    'auth.enabled = true\njwt.key = "0123456789012345678901234567890123456789"\nhttp.host = "0.0.0.0"\njwt.whitelist = ["/_QUERIES/shop/list"]\nqueries.restrict = true\nmcp.enabled = false\n[[databases]]\nalias = "gone"\nurl = "postgres://u:p@127.0.0.1:1/d"\n',
  );
  const { about } = await served(t, folder, { DATABASE_URL: postgres.url });
  t.match(about('configuration'), [{ msg: `configuration file ${folder}/service.toml` }]);
  t.match(about('database'), [
    {
      alias: 'postgres',
      port: postgres.port,
      msg: new RegExp(
        `^database postgres on ${postgres.host}:${postgres.port} answers: PostgreSQL [0-9.]+$`,
      ),
    },
  ]);
  t.match(about('scripts'), [
    {
      level: 30,
      count: 2,
      broken: 3,
      msg: `2 scripts in the folder ${folder}/queries, 3 cannot be served`,
    },
  ]);
  t.match(about('script'), [
    { level: 40, script: 'loose.read.sql', msg: /^not served: loose\.read\.sql: is in no folder/ },
    { script: 'shop/bad.read.sql:1:10', msg: /^not served: shop\/bad\.read\.sql:1:10: .*sqlVall/ },
    { script: 'shop/bad.sql', msg: /^not served: shop\/bad\.sql: the suffix is none of/ },
  ]);
  t.match(about('access'), [
    {
      msg: 'callers with a token may run the scripts that queries.scripts and queries.users permit: authentication is on, queries.restrict is on, jwt.whitelist opens paths to everyone, http.host is 0.0.0.0, which other machines can reach',
    },
  ]);
});

t.test('of many broken scripts the first are named', async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'queries/a'), { recursive: true });
  for (let i = 10; i < 32; i++) writeFileSync(join(folder, `queries/a/s${i}.read.sql`), '{{end}}');
  const { about } = await served(t, folder, { DATABASE_URL: 'postgres://u@127.0.0.1:1/d' });
  t.equal(about('script').length, 20);
  t.match(about('scripts'), [
    { level: 40, msg: /^0 scripts .*, 22 cannot be served; sql-rest-service check names all of them$/ }, // prettier-ignore
  ]);
});

t.test('stored scripts', async (t) => {
  const postgres = await startPostgres(t);
  const folder = makeScripts(t, {
    'shop/list.read.sql': 'SELECT 1 AS one',
    'shop/bad.read.sql': 'SELECT {{sqlVall "x"}}',
  });
  writeFileSync(
    join(folder, 'service.toml'),
    'queries.storage = "database"\nqueries.import_on_startup = true\n',
  );
  const { about, lines } = await served(t, folder, { DATABASE_URL: postgres.url });
  const [found] = about('scripts');
  t.match(found, { place: /^table public\./ });
  t.match(found, { count: 1 });
  t.match(found, { msg: /^1 script in the table public\.\S+/ });
  t.ok(JSON.stringify(lines).includes('sqlVall'), 'why one is not served is logged');
});

t.test('a table that cannot be read', async (t) => {
  const folder = makeScripts(t, {});
  writeFileSync(join(folder, 'service.toml'), 'queries.storage = "database"\n');
  const env = { DATABASE_URL: 'postgres://u@127.0.0.1:1/d' };
  const { about } = await served(t, folder, env);
  t.match(about('scripts'), [{ level: 40, msg: /^no scripts: the table .* cannot be read now/ }]);
});
