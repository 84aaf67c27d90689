/** Permissions on tables and scripts: none grants more than in pREST. */
import t from 'tap';
import { makeConverter } from './converter.js';

const { convert } = makeConverter(t);

t.test('scripts', (t) => {
  const { settings, lines, problems } = convert(`
[[queries.scripts]]
location = "demo"
name = "one"
permissions = ["read", "update"]
colour = "red"
[[queries.scripts]]
location = "demo"
permissions = "read,write"
[[queries.scripts]]
database = "*"
permissions = ["read"]
[[queries.scripts]]
database = "app"
name = ""
[[queries.users]]
name = "ann"
[[queries.users.scripts]]
Location = "demo"
permissions = ["delete"]
[[queries.users]]
name = "bob"
[[queries.users]]
scripts = []`);
  t.strictSame(problems, []);
  t.strictSame(settings['queries.scripts'], [
    { location: 'demo', name: 'one', permissions: ['read'] },
    { location: 'demo', permissions: ['read', 'write'] },
    { database: 'app', permissions: [] },
  ]);
  t.strictSame(settings['queries.users'], [
    { name: 'ann', scripts: [{ location: 'demo', permissions: ['delete'] }] },
    { name: 'bob', scripts: [] },
  ]);
  const unused = lines('unused').join('\n');
  t.match(unused, /scripts\[0\]\.permissions: update permits nothing/);
  t.match(unused, /scripts\[0\]\.colour/);
  t.match(unused, /scripts\[2\]: left out: pREST takes \*/);
  t.match(unused, /users\[2\]: .*names no user/);
  t.match(lines('differs').join('\n'), /for demo\/one its own entry counts here/);
  t.end();
});

t.test('tables', (t) => {
  const { settings, lines, problems } = convert(`
[access]
restrict = true
ignore_table = ["logs", "a.b"]
[[access.tables]]
schema = "public"
name = "own"
permissions = ["read"]
fields = ["id"]
[[access.tables]]
name = "own"
permissions = ["read", "write"]
[[access.tables]]
name = "public.dotted"
permissions = ["read"]
[[access.tables]]
database = "other"
name = "elsewhere"
permissions = ["read"]
[[access.tables]]
database = "prest"
schema = "s"
name = "here"
permissions = ["read"]
[access.users]
name = "ann"
tables = { name = "own", permissions = ["delete"], fields = ["*"] }`);
  t.strictSame(problems, []);
  t.strictSame(settings['access.tables'], [
    { name: 'own', permissions: ['read', 'write'], fields: [] },
    { name: 'public.own', permissions: ['read'], fields: ['id'] },
    { name: 's.here', permissions: ['read'], fields: [] },
  ]);
  t.strictSame(settings['access.users'], [
    { name: 'ann', tables: [{ name: 'own', permissions: ['delete'], fields: ['*'] }] },
  ]);
  t.strictSame(settings['access.ignore_table'], ['logs']);
  t.match(lines('unsupported'), [/tables\[3\]: left out: .*one database/]);
  t.match(lines('unused').join('\n'), /tables\[2\]: left out/);
  t.match(lines('unused').join('\n'), /ignore_table: a\.b is left out/);
  t.end();
});

t.test('the first of several lists of a user counts', (t) => {
  const { settings, problems } = convert(`
[queries]
users = [
  { name = "ann", scripts = [{ location = "demo", permissions = [] }] },
  { name = "bob", scripts = [] },
  { name = "ann", scripts = [{ location = "demo", permissions = ["read"] }, { location = "b" }] },
]`);
  t.strictSame(problems, []);
  t.strictSame(settings['queries.users'], [
    {
      name: 'ann',
      scripts: [
        { location: 'demo', permissions: ['read'] },
        { location: 'b', permissions: [] },
        { location: 'demo', permissions: [] },
      ],
    },
    { name: 'bob', scripts: [] },
  ]);
  t.end();
});

t.test('entries that are not tables are problems', (t) => {
  const { problems } = convert(`
[queries]
users = [{ name = "ann", scripts = "demo" }, { name = "bob", scripts = [["demo"]] }]
[access]
users = [{ name = "ann", tables = [{ name = "own" }, 5] }]`);
  t.strictSame(
    problems.map((problem) => problem.split(':')[0]),
    ['queries.users[0].scripts[0]', 'queries.users[1].scripts[0]', 'access.users[0].tables[1]'],
  );
  t.end();
});
