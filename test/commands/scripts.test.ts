/** The commands `scripts export`, `scripts import` and `scripts diff`. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { makeFolder, run, type Finished } from './program.js';

const server = await startPostgres(t);
const folder = makeFolder(t);
const scripts = (...args: string[]): Promise<Finished> =>
  run(folder, ['scripts', ...args], {
    DATABASE_URL: server.url,
    DATABASE_ALIAS_1: 'main',
    DATABASE_URL_1: server.url,
  });
const write = (file: string, text: string): void => {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const stored = (): Promise<object[]> =>
  server.sql(
    `SELECT database_alias AS db, location || '/' || name AS script, read_sql, write_sql, created_by
     FROM service_queries ORDER BY 1, 2`,
  );

t.test('no table, no folder, no such alias', async (t) => {
  for (const command of ['export', 'import', 'diff'])
    t.match(await scripts(command), {
      code: 1,
      stdout: '',
      stderr:
        /^error: there is no table public\.service_queries: make it with .* migrate up queries\n$/,
    });
  await run(folder, ['migrate', 'up', 'queries'], { DATABASE_URL: server.url });
  for (const command of ['import', 'diff'])
    t.match(await scripts(command, 'nowhere'), {
      code: 1,
      stderr: /^error: .*nowhere cannot be read: ENOENT\n$/,
    });
  for (const command of ['export', 'import', 'diff'])
    t.match(await scripts(command, '--database', '../x'), {
      code: 1,
      stderr: 'error: invalid database "../x"\n',
    });
  t.match(await scripts('import', '--database', 'mian'), {
    code: 1,
    stdout: '',
    stderr: /^error: no database has the alias "mian"; there are "postgres", "main"\n$/,
  });
});

t.test('import', async (t) => {
  write('queries/shop/list.read.sql', 'SELECT 1\n');
  write('queries/shop/list.write.sql', 'INSERT {{if}}');
  write('queries/shop/stray.sql', 'SELECT');
  write('queries/a/b.read.sql', 'SELECT 2\n');
  const created = 'created a/b\ncreated shop/list\n';
  const warnings = `warning: "shop/stray.sql" is left out: the suffix is none of .read.sql (GET), .write.sql (POST), .update.sql (PUT, PATCH), .delete.sql (DELETE)
warning: shop/list.write.sql:1:12: template: shop/list:1: missing value for if\n`;
  t.strictSame(await scripts('import', '--dry-run'), {
    code: 0,
    stdout: created,
    stderr: `${warnings}dry run: nothing was changed\n`,
  });
  t.strictSame(await stored(), []);
  t.strictSame(await scripts('import'), { code: 0, stdout: created, stderr: warnings });
  const made = { db: '', created_by: 'filesystem-import' };
  t.match(await stored(), [
    { ...made, script: 'a/b', read_sql: 'SELECT 2\n', write_sql: null },
    { ...made, script: 'shop/list', read_sql: 'SELECT 1\n', write_sql: 'INSERT {{if}}' },
  ]);
  write('queries/a/b.read.sql', 'SELECT 3\n');
  t.match(await scripts('import', '--policy', 'skip'), {
    code: 0,
    stdout: 'skipped a/b\nunchanged shop/list\n',
  });
  t.match(await scripts('import', '--queries.import_policy', 'error'), {
    code: 1,
    stdout: '',
    stderr: /error: nothing was imported: these scripts are stored with another text: a\/b\n$/,
  });
  const { stdout } = await scripts('import', '--json');
  t.match(JSON.parse(stdout), {
    dryRun: false,
    scripts: [
      { location: 'a', name: 'b', outcome: 'updated' },
      { location: 'shop', name: 'list', outcome: 'unchanged' },
    ],
    unparsed: [{ file: 'shop/list.write.sql', line: 1, column: 12 }],
    leftOut: [{ file: 'shop/stray.sql' }],
  });
  write('other/a/b.read.sql', 'SELECT 4\n');
  t.match(await scripts('import', 'other', '--database', 'main'), {
    code: 0,
    stdout: 'created a/b\n',
  });
  t.match(await stored(), [
    { db: '', script: 'a/b', read_sql: 'SELECT 3\n' },
    { script: 'shop/list' },
    { db: 'main', script: 'a/b', read_sql: 'SELECT 4\n' },
  ]);
});

t.test('the place of a warning has what is known of it', async (t) => {
  write('places/shop/head.update.sql', '-- @one\n-- @status 99\nSELECT 1');
  const { stderr } = await scripts('import', 'places', '--dry-run');
  const places = stderr.match(/^warning: .*?(?=: )/gm);
  t.strictSame(places, ['warning: shop/head.update.sql:2']);
});

t.test('diff', async (t) => {
  t.strictSame(await scripts('diff', 'other', '--database', 'main'), {
    code: 0,
    stdout: '',
    stderr: '',
  });
  write('other/a/b.read.sql', 'SELECT 5\n');
  write('other/a/b.delete.sql', 'DELETE');
  const { code, stdout } = await scripts('diff', 'other');
  t.equal(code, 1);
  t.equal(
    stdout,
    `--- table/a/b.read.sql
+++ folder/a/b.read.sql
@@ -1,1 +1,1 @@
-SELECT 3
+SELECT 5
--- /dev/null
+++ folder/a/b.delete.sql
@@ -0,0 +1,1 @@
+DELETE
\\ No newline at end of file
--- table/shop/list.read.sql
+++ /dev/null
@@ -1,1 +0,0 @@
-SELECT 1
--- table/shop/list.write.sql
+++ /dev/null
@@ -1,1 +0,0 @@
-INSERT {{if}}
\\ No newline at end of file
`,
  );
  const json = await scripts('diff', 'other', '--json', '--database', 'main');
  t.equal(json.code, 1);
  t.match(JSON.parse(json.stdout), [
    { location: 'a', name: 'b', verb: 'read', in: 'both', diff: /^--- table/ },
    { location: 'a', name: 'b', verb: 'delete', in: 'folder' },
  ]);
  const none = await scripts('diff', '--json', '--database', 'none');
  t.equal((JSON.parse(none.stdout) as object[]).length, 3);
  t.equal(
    none.stderr.split('\n')[0],
    'warning: no database has the alias "none"; there are "postgres", "main"',
  );
  const lines = (word: string): string =>
    Array.from({ length: 60_000 }, (_, i) => `${word} ${i}`).join('\n');
  write('other/a/b.read.sql', lines('x'));
  await server.sql("UPDATE service_queries SET read_sql = $1 WHERE database_alias = 'main'", [
    lines('y'),
  ]);
  const large = await scripts('diff', 'other', '--database', 'main');
  t.match(large, { code: 1, stdout: /too little in common/ });
  await server.sql("DELETE FROM service_queries WHERE database_alias = 'main'");
});

t.test('export', async (t) => {
  const out = join(folder, 'out');
  t.match(await scripts('export', 'out', '--dry-run'), {
    code: 0,
    stdout: 'created a/b.read.sql\ncreated shop/list.read.sql\ncreated shop/list.write.sql\n',
    stderr: 'dry run: nothing was changed\n',
  });
  t.notOk(existsSync(out));
  t.match(await scripts('export', 'out'), { code: 0 });
  t.equal(read('out/a/b.read.sql'), 'SELECT 3\n');
  t.equal(read('out/shop/list.write.sql'), 'INSERT {{if}}');
  t.strictSame(readdirSync(join(out, 'shop')), ['list.read.sql', 'list.write.sql']);
  t.match(await scripts('diff', 'out'), { code: 0, stdout: '' });
  t.match(await scripts('export'), {
    code: 0,
    stdout: 'unchanged a/b.read.sql\nunchanged shop/list.read.sql\nunchanged shop/list.write.sql\n',
  });

  write('out/a/b.read.sql', 'mine');
  rmSync(join(out, 'shop/list.read.sql'));
  t.match(await scripts('export', 'out'), {
    code: 1,
    stdout: '',
    stderr: /^error: nothing was exported: these files differ, .*: a\/b\.read\.sql\n$/,
  });
  t.equal(read('out/a/b.read.sql'), 'mine');
  t.notOk(existsSync(join(out, 'shop/list.read.sql')), 'nothing at all was written');
  t.match(await scripts('export', 'out', '--dry-run'), { code: 0, stdout: /^replaced a\/b/ });
  t.equal(read('out/a/b.read.sql'), 'mine');
  write('out/a/extra.read.sql', 'stays');
  t.match(await scripts('export', 'out', '--yes'), {
    code: 0,
    stdout: 'replaced a/b.read.sql\ncreated shop/list.read.sql\nunchanged shop/list.write.sql\n',
  });
  t.equal(read('out/a/b.read.sql'), 'SELECT 3\n');
  t.equal(read('out/a/extra.read.sql'), 'stays');
});

t.test('refused exports', async (t) => {
  const away = join(folder, 'away');
  mkdirSync(away);
  mkdirSync(join(folder, 'links'));
  symlinkSync(away, join(folder, 'links/shop'));
  t.match(await scripts('export', 'links', '--yes'), {
    code: 1,
    stderr: /leads out of the folder/,
  });
  t.strictSame(readdirSync(away), []);

  write('target', 'mine');
  mkdirSync(join(folder, 'linked/a'), { recursive: true });
  symlinkSync(join(folder, 'target'), join(folder, 'linked/a/b.read.sql'));
  t.match(await scripts('export', 'linked'), { code: 1, stderr: /these files differ/ });
  t.match(await scripts('export', 'linked', '--yes'), { code: 0 });
  t.equal(read('target'), 'mine', 'the link is replaced, not what it leads to');
  t.equal(read('linked/a/b.read.sql'), 'SELECT 3\n');

  mkdirSync(join(folder, 'taken/a/b.read.sql'), { recursive: true });
  t.match(await scripts('export', 'taken', '--yes'), {
    code: 1,
    stderr: /cannot be written: EISDIR/,
  });
  t.match(await scripts('export', 'target'), { code: 1, stderr: /cannot be written: / });
  t.strictSame(readdirSync(join(folder, 'taken/a')), ['b.read.sql'], 'no draft is left');

  for (const name of ['../x', 'a/b', '.', 'x.y', '\u001b[2J', '']) {
    await server.sql(
      "INSERT INTO service_queries (location, name, read_sql) VALUES ('..', $1, '1')",
      [name],
    );
    const finished = await scripts('export', 'odd');
    t.match(finished, {
      code: 1,
      stdout: '',
      stderr: /nothing was exported: no file can have the name of "/,
    });
    t.notMatch(finished.stderr, '\u001b');
    await server.sql("DELETE FROM service_queries WHERE location = '..'");
  }
  t.notOk(existsSync(join(folder, 'odd')));
});

t.test('more than pg.max_result', async (t) => {
  write('heavy/a/b.read.sql', `SELECT '${'x'.repeat(5_000)}'`);
  const env = { DATABASE_URL: server.url, SERVICE_PG_MAX_RESULT: '1KiB' };
  for (const args of [
    ['import', 'heavy', '--policy', 'update'],
    ['export', 'heavier'],
  ])
    t.match(await run(folder, ['scripts', ...args], env), { code: 0 });
  t.equal(read('heavier/a/b.read.sql'), read('heavy/a/b.read.sql'));
  const stored = { ...env, SERVICE_QUERIES_STORAGE: 'database' };
  const { stdout } = await run(folder, ['check'], stored);
  t.match(stdout, /table public\.service_queries .*ok: \d+ scripts/);
});
