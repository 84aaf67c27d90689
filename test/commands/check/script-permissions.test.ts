/** The permissions on scripts in the report of `check`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { Report } from '#app/commands/check/report.js';
import { scriptPermissions } from '#app/commands/check/script-permissions.js';
import type { ScriptEntry } from '#app/messages/access-settings.js';
import type { ListedScript } from '#app/script/files/script-listing.js';
import { scriptOfFile } from '#app/script/verb.js';
import { makeFolder, run } from '../program.js';

const FILES = [
  'admin/users.read.sql',
  'shop/list.read.sql',
  'shop/list.update.sql',
  'shop/purge.delete.sql',
];

const LISTED: readonly ListedScript[] = FILES.map((file) => {
  const [folder = '', script = ''] = file.split('/');
  return { folder, ...scriptOfFile(script)! };
});

/** An entry from `database:folder/script permissions`, with scopes behind a `+`; missing parts are absent. */
function entry(text: string): ScriptEntry {
  const [, database, location, name, words, scope] =
    /^(?:(.+):)?(.*?)\/(\S*) ?(.*?)(?: \+(.*))?$/.exec(text)?.map((part) => part || undefined) ??
    [];
  return {
    database,
    location,
    name,
    permissions: words?.split(' ') ?? [],
    scope: scope?.split(' '),
  };
}

interface Entries {
  readonly everybody?: readonly string[];
  readonly users?: Readonly<Record<string, readonly string[]>>;
}

function work({ everybody = [], users = {} }: Entries, aliases: readonly string[] = ['main']) {
  const settings = {
    scripts: everybody.map(entry),
    users: Object.entries(users).map(([name, own]) => ({ name, scripts: own.map(entry) })),
  };
  const { rows, warnings } = scriptPermissions(settings, LISTED, aliases);
  const lines = rows.map(({ database, folder, name, user, scope, permissions }) =>
    `${database}:${folder}/${name} ${user ?? '-'}${scope ? ` +${scope}` : ''}: ${permissions.join(' ')}`.trim(),
  );
  return { lines, warnings };
}

t.test('without an entry nothing is permitted', (t) => {
  t.strictSame(work({}), {
    lines: ['main:admin/users -:', 'main:shop/list -:', 'main:shop/purge -:'],
    warnings: [],
  });
  t.end();
});

t.test('what tokens with scopes may do stands beside', (t) => {
  const { lines } = work({
    everybody: ['main:shop/list read', 'main:shop/list write +shop:write shop'],
    users: { alice: ['main:shop/purge delete +purge'] },
  });
  t.strictSame(
    lines.filter((line) => !line.startsWith('main:admin')),
    [
      'main:shop/list -: read',
      'main:shop/list - +shop:write shop: read write',
      'main:shop/list alice: read',
      'main:shop/list alice +shop:write shop: read write',
      'main:shop/list alice +purge: read',
      'main:shop/purge -:',
      'main:shop/purge - +shop:write shop:',
      'main:shop/purge alice:',
      'main:shop/purge alice +shop:write shop:',
      'main:shop/purge alice +purge: delete',
    ],
  );
  t.end();
});

t.test('permissions for missing texts are not listed', (t) => {
  const { lines } = work({ everybody: ['main:/ read write delete'] });
  t.strictSame(lines, [
    'main:admin/users -: read',
    'main:shop/list -: read write',
    'main:shop/purge -: delete',
  ]);
  t.end();
});

t.test('entries of a user override those for everybody', (t) => {
  const { lines } = work({
    everybody: ['main:shop/list read', 'main:admin/users read'],
    users: { alice: ['main:shop/list write', 'main:shop/purge delete'], bob: ['main:shop/list'] },
  });
  t.strictSame(lines, [
    'main:admin/users -: read',
    'main:admin/users alice: read',
    'main:admin/users bob: read',
    'main:shop/list -: read',
    'main:shop/list alice: write',
    'main:shop/list bob:',
    'main:shop/purge -:',
    'main:shop/purge alice: delete',
    'main:shop/purge bob:',
  ]);
  t.end();
});

t.test('each database has its own permissions', (t) => {
  const { lines } = work({ everybody: ['archive:shop/list read'] }, ['main', 'archive']);
  t.strictSame(
    lines.filter((line) => line.includes('list')),
    ['main:shop/list -:', 'archive:shop/list -: read'],
  );
  t.end();
});

const NOW = ', and those still to come';
const WARNED: readonly (readonly [Entries, readonly string[]])[] = [
  [{ everybody: ['main:shop/list read'] }, []],
  [
    { everybody: ['main:shop/list read', 'main:shop/* read'] },
    [
      `queries.scripts[1]: read for everybody on any script of the folder shop in the database main: now 2 of 3${NOW}`,
    ],
  ],
  [
    { everybody: ['*:/list read delete'] },
    [
      `queries.scripts[0]: read delete for everybody on the script list of any folder in any database: now 1 of 3${NOW}`,
    ],
  ],
  [
    { users: { 'a\nb': [], bob: ['/'] } },
    [
      `queries.users[1].scripts[0]: nothing for user "bob" on any script of any folder in any database: now 3 of 3${NOW}`,
    ],
  ],
  [
    { everybody: ['shop/list read'], users: { bob: ['*:shop/list read'] } },
    ['queries: entries that name no database count for all of them (main): 2'],
  ],
  [{ everybody: ['shop/lst read'] }, ['queries.scripts[0]: for everybody, matches no script']],
  [
    { users: { 'a\nb': ['shp/* read'] } },
    ['queries.users[0].scripts[0]: for user "a\\nb", matches no script'],
  ],
  [
    { everybody: ['mian:shop/list read'] },
    ['queries.scripts[0]: for everybody, matches no script: no database is named mian'],
  ],
];

t.test('entries that match several scripts, or none', (t) => {
  for (const [entries, warnings] of WARNED) t.strictSame(work(entries).warnings, warnings);
  t.end();
});

/** A folder with the scripts and a configuration. */
function makeService(t: Test, configuration: string): string {
  const folder = makeFolder(t);
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, 'queries', file)), { recursive: true });
    writeFileSync(join(folder, 'queries', file), 'SELECT 1');
  }
  writeFileSync(join(folder, 'service.toml'), configuration);
  return folder;
}

const AUTH =
  'auth.enabled = true\naccess.restrict = true\njwt.key = "0123456789abcdef0123456789abcdef"\n';
const NO_DATABASE = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/main' };

t.test('text', async (t) => {
  const folder = makeService(
    t,
    `${AUTH}queries.restrict = true
[[queries.scripts]]
location = "shop"
name = "list"
permissions = ["read"]
[[queries.users]]
name = "alice"
[[queries.users.scripts]]
location = "shop"
permissions = ["write", "delete"]
`,
  );
  const { stdout } = await run(folder, ['check'], NO_DATABASE);
  t.match(stdout, '\n  warning: queries.users[0].scripts[0]: write delete for user "alice" on any');
  t.match(
    stdout,
    `
  admin/users  everybody  -
  admin/users  "alice"    -
  shop/list    everybody  read
  shop/list    "alice"    write
  shop/purge   everybody  -
  shop/purge   "alice"    delete
`,
  );
  const report = JSON.parse((await run(folder, ['check', '--json'], NO_DATABASE)).stdout) as Report;
  t.match(report.warnings, [/^queries\.users\[0\]/, /^queries: entries/]);
  t.match(report.access, { token: true, restricted: true });
  t.strictSame(report.access?.permissions[3], {
    database: 'main',
    folder: 'shop',
    name: 'list',
    user: 'alice',
    permissions: ['write'],
  });
});

t.test('a token is enough', async (t) => {
  const folder = makeService(t, AUTH);
  const { stdout } = await run(folder, ['check'], NO_DATABASE);
  t.match(stdout, '\npermissions: whoever has a token may run every script, for queries.restrict');
});

t.test('restricted, without scripts', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'service.toml'), `${AUTH}queries.restrict = true\n`);
  const { stdout } = await run(folder, ['check'], NO_DATABASE);
  t.match(stdout, /: 0 scripts\npermissions, of everybody.*:\nnot ok\n$/);
});
