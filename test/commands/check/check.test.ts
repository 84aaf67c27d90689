import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { startPostgres, versionOf } from '../../support/postgres.js';
import { makeFolder, makeScripts, run } from '../program.js';

const GOOD = { 'shop/list.read.sql': 'SELECT 1', 'shop/list.write.sql': 'SELECT {{sqlVal "a"}}' };

t.test('check', async (t) => {
  const server = await startPostgres(t);
  const env = { DATABASE_URL: server.url };
  const version = await versionOf(server);

  await t.test('no errors', async (t) => {
    const folder = makeScripts(t, GOOD);
    const { code, stdout, stderr } = await run(folder, ['check'], env);
    t.equal(code, 0, stdout);
    t.equal(stderr, '');
    t.match(stdout, /^configuration ok\n/);
    t.match(stdout, new RegExp(`\ndatabase postgres ok: PostgreSQL ${version}\\.\\d+\n`));
    t.match(stdout, /\nscripts .*queries ok: 2 scripts\n/);
    t.match(stdout, /\npermissions: everybody may run every script, for authentication is off\n/);
    t.match(stdout, /\nok\n$/);
    const json = await run(folder, ['check', '--json'], env);
    t.equal(json.code, 0);
    const report = JSON.parse(json.stdout) as Report;
    t.match(report, {
      ok: true,
      file: null,
      errors: [],
      warnings: [],
      databases: [
        {
          alias: 'postgres',
          ok: true,
          engine: 'PostgreSQL',
          version: new RegExp(`^${version}[.]`),
        },
      ],
      scripts: { location: join(folder, 'queries'), count: 2, problems: [] },
      access: { token: false, restricted: false, permissions: [] },
    });
  });

  await t.test('scripts that do not parse', async (t) => {
    const folder = makeScripts(t, {
      ...GOOD,
      'shop/bad.read.sql': 'SELECT\n  {{if}}',
      'a/x.read.sql': '{{nope}}',
    });
    const { code, stdout } = await run(folder, ['check'], env);
    t.equal(code, 1);
    t.match(stdout, /\n {2}error: shop\/bad\.read\.sql:2:\d+: /);
    t.match(stdout, /\n {2}error: a\/x\.read\.sql:1:\d+: /);
    t.match(stdout, /\nnot ok\n$/);
    const report = JSON.parse((await run(folder, ['check', '--json'], env)).stdout) as Report;
    t.equal(report.ok, false);
    t.equal(report.scripts?.count, 2);
    t.match(report.scripts?.problems, [
      { file: 'a/x.read.sql', line: 1 },
      { file: 'shop/bad.read.sql', line: 2 },
    ]);
  });

  await t.test('a missing scripts folder', async (t) => {
    const { code, stdout } = await run(makeFolder(t), ['check'], env);
    t.equal(code, 0, 'serve makes it');
    t.match(
      stdout,
      /\nscripts .*queries ok: 0 scripts\n {2}warning: there is no such folder; serve makes it, unless queries\.location names another\n/,
    );
  });

  await t.test('a folder where nothing is configured', async (t) => {
    const folder = makeFolder(t);
    const { code, stdout } = await run(folder, ['check']);
    t.equal(code, 1);
    t.match(
      stdout,
      /^configuration not ok\n {2}error: there is no configuration file: neither service\.toml in .*; and no folder .*queries: run check where they are\n/,
    );
    const scripts = makeScripts(t, GOOD);
    const defaults = await run(scripts, ['check']);
    t.match(
      defaults.stdout,
      /^configuration ok\n {2}warning: there is no configuration file: .*; the defaults apply\n/,
    );
    writeFileSync(join(scripts, 'service.toml'), '');
    t.match((await run(scripts, ['check'])).stdout, /^configuration .*service\.toml ok\ndatabase/);
  });

  await t.test('a scripts folder that is a file', async (t) => {
    const folder = makeFolder(t);
    writeFileSync(join(folder, 'queries'), '');
    const { code, stdout } = await run(folder, ['check'], env);
    t.equal(code, 1);
    t.match(stdout, /queries not ok: 0 scripts\n {2}error: .*queries: cannot be read: ENOTDIR\n/);
  });

  await t.test('a database that refuses the connection', async (t) => {
    const url = new URL(server.url);
    url.password = 'hush';
    const folder = makeScripts(t, GOOD);
    const { code, stdout } = await run(folder, ['check'], { DATABASE_URL: url.href });
    t.equal(code, 1);
    t.match(stdout, /\ndatabase postgres not ok\n {2}error: .*password authentication failed/);
    t.notMatch(stdout, 'hush');
    t.match(stdout, '2 scripts', 'the rest is checked nevertheless');
    const absent = await run(folder, ['check', '--json'], {
      DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/d',
    });
    t.equal(absent.code, 1);
    t.match(JSON.parse(absent.stdout), { ok: false, databases: [{ alias: 'd', ok: false }] });
    t.notMatch(absent.stdout, 'hush');
  });

  await t.test('several databases', async (t) => {
    const away = { DATABASE_ALIAS_1: 'away', DATABASE_URL_1: 'postgres://u:hush@127.0.0.1:1/d' };
    const there = { DATABASE_ALIAS_2: 'there', DATABASE_URL_2: server.url };
    const folder = makeScripts(t, GOOD);
    const secret = 'k'.repeat(32);
    writeFileSync(
      join(folder, 'service.toml'),
      `auth.enabled = true\njwt.key = "${secret}"\nqueries.restrict = true\n[[queries.scripts]]\ndatabase = "there"\nlocation = "shop"\nname = "list"\npermissions = ["read"]\n`,
    );
    const { code, stdout } = await run(folder, ['check'], { ...env, ...away, ...there });
    t.equal(code, 1);
    t.match(
      stdout,
      /\ndatabase postgres ok: .*\ndatabase away not ok\n {2}error: .*\ndatabase there ok: /,
    );
    t.match(stdout, /\n {2}there\/shop\/list +everybody +read\n/);
    t.match(stdout, /\n {2}away\/shop\/list +everybody +-\n/);
    t.notMatch(stdout, 'hush');
    const well = await run(folder, ['check', '--json'], { ...env, ...there });
    t.equal(well.code, 0, well.stdout);
    t.match(JSON.parse(well.stdout), {
      databases: [
        { alias: 'postgres', ok: true },
        { alias: 'there', ok: true },
      ],
      warnings: [],
    });
  });

  await t.test('configuration', async (t) => {
    const folder = makeScripts(t, GOOD);
    const file = join(folder, 'service.toml');
    writeFileSync(file, 'http.port = "hush"\nhttp.hots = 1\n');
    const bad = await run(folder, ['check'], env);
    t.equal(bad.code, 1);
    t.match(
      bad.stdout,
      /^configuration not ok\n {2}error: http\.port: .*\n {2}warning: http\.hots: /,
    );
    t.notMatch(bad.stdout, 'hush');
    t.match(JSON.parse((await run(folder, ['check', '--json'], env)).stdout), {
      ok: false,
      errors: [/^http\.port/],
      warnings: [/^http\.hots/],
      databases: [],
      scripts: null,
      access: null,
    });

    writeFileSync(file, 'queries.restrict = true\n');
    const off = await run(folder, ['check', '--json'], env);
    t.equal(off.code, 1, 'a protection that is switched off is an error here');
    t.match(JSON.parse(off.stdout), { ok: false, file, errors: [/^queries\.restrict/] });

    writeFileSync(file, 'http.hots = 1\n');
    t.equal((await run(folder, ['check'], env)).code, 0, 'a warning is none');
  });
});
