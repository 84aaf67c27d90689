/** Permissions for tables: whatever no entry permits is denied. */
import t from 'tap';
import { TableAccess, tableName } from '#app/access/table-access.js';
import type { TableAccessSettings, TableEntry } from '#app/messages/access-settings.js';

const entry = (name: string, permissions: string, fields?: readonly string[]): TableEntry => ({
  name,
  permissions: permissions.split(' ').filter((word) => word !== ''),
  fields,
});

const access = (settings: Partial<TableAccessSettings>): TableAccess =>
  new TableAccess({ restrict: true, tables: [], users: [], ignored: [], ...settings });

/** A permission on one line. */
function shown(to: TableAccess, user: string, schema: string, table: string): string {
  const { read, write, delete: removes, fields } = to.permission(user, schema, table);
  const words = [read && 'read', write && 'write', removes && 'delete'].filter(Boolean);
  return (words.join(' ') || 'nothing') + (fields === undefined ? '' : ` of ${[...fields].join()}`);
}

const SETTINGS: Partial<TableAccessSettings> = {
  tables: [
    entry('item', 'read'),
    entry('price', 'read write', ['id', 'amount']),
    entry('Item', 'delete'),
    entry('shop.item', 'read write delete', ['*', 'id']),
    entry('twice', 'read write delete'),
    entry('public.twice', 'read', ['id']),
    entry('empty', 'read write', []),
    entry('none', ''),
    entry('a.b.c', 'read'),
    entry('odd', 'Read execute constructor'),
    entry('log', ''),
  ],
  users: [
    { name: 'ann', tables: [entry('item', 'write', ['id']), entry('own', 'read')] },
    { name: 'ann', tables: [entry('own', 'delete'), entry('log', '')] },
    { name: 'bob', tables: [entry('item', ''), entry('shop.item', 'read')] },
    { name: 'constructor', tables: [] },
  ],
  ignored: ['log', 'audit.trail'],
};

const CASES: readonly (readonly [user: string, schema: string, table: string, may: string])[] = [
  ['', 'public', 'nope', 'nothing'],
  ['ann', 'public', 'nope', 'nothing'],
  ['', 'public', 'none', 'nothing'],
  ['', 'public', 'odd', 'nothing'],
  ['', 'public', 'constructor', 'nothing'],
  ['', '__proto__', 'item', 'nothing'],
  ['__proto__', 'public', 'own', 'nothing'],
  ['', 'other', 'item', 'nothing'],
  ['', 'Public', 'item', 'nothing'],
  ['', '', 'item', 'nothing'],
  ['', 'public', 'shop.item', 'nothing'],
  ['', 'public', 'ITEM', 'nothing'],
  ['', 'public', ' item', 'nothing'],
  ['', 'public', 'own', 'nothing'],
  ['bob', 'public', 'own', 'nothing'],
  // the user's own entry decides, even if it permits less
  ['bob', 'public', 'item', 'nothing'],
  ['ann', 'public', 'item', 'write of id'],
  ['bob', 'shop', 'item', 'read'],
  ['Ann', 'public', 'item', 'read'],
  ['ann ', 'public', 'item', 'read'],
  ['constructor', 'public', 'item', 'read'],
  ['', 'public', 'item', 'read'],
  ['', 'public', 'Item', 'delete'],
  ['ann', 'public', 'price', 'read write of id,amount'],
  ['', 'shop', 'item', 'read write delete'],
  // the last of several
  ['', 'public', 'twice', 'read of id'],
  ['ann', 'public', 'own', 'delete'],
  // without columns nothing can be read
  ['', 'public', 'empty', 'write of '],
  ['', 'a', 'b.c', 'read'],
  // ignored tables are open, regardless of entries
  ['', 'public', 'log', 'read write delete'],
  ['ann', 'public', 'log', 'read write delete'],
  ['', 'audit', 'trail', 'read write delete'],
  ['', 'other', 'log', 'nothing'],
];

t.test('permission', (t) => {
  const restricted = access(SETTINGS);
  for (const [user, schema, table, may] of CASES)
    t.equal(shown(restricted, user, schema, table), may, `${user} ${schema}.${table}`);
  t.end();
});

t.test('without restrict everything is permitted', (t) => {
  const open = access({ ...SETTINGS, restrict: false });
  t.equal(shown(open, 'bob', 'public', 'item'), 'read write delete');
  t.equal(shown(open, '', 'pg_catalog', 'pg_authid'), 'read write delete');
  t.equal(open.readable('bob'), undefined);
  t.end();
});

t.test('restrict without entries denies everything', (t) => {
  t.equal(shown(access({}), 'ann', 'public', 'item'), 'nothing');
  t.same(access({}).readable(''), []);
  t.end();
});

t.test('readable lists what permission permits, and nothing twice', (t) => {
  const restricted = access(SETTINGS);
  for (const user of ['', 'ann', 'bob', 'nobody']) {
    const list = restricted.readable(user) ?? [];
    const names = list.map((name) => name.join(' '));
    t.equal(new Set(names).size, names.length, user);
    for (const [schema, table] of list) t.ok(restricted.permission(user, schema, table).read);
    for (const [, schema, table] of CASES)
      t.equal(
        names.includes(`${schema} ${table}`),
        restricted.permission(user, schema, table).read,
        `${user} ${schema}.${table}`,
      );
  }
  t.end();
});

t.test('readable caches no list for unknown names', (t) => {
  const restricted = access(SETTINGS);
  t.equal(restricted.readable('eve'), restricted.readable('mallory'));
  t.equal(restricted.readable('ann'), restricted.readable('ann'));
  t.not(restricted.readable('ann'), restricted.readable('bob'));
  t.end();
});

t.test('tableName', (t) => {
  t.same(tableName('item'), ['public', 'item']);
  t.same(tableName('shop.item'), ['shop', 'item']);
  t.same(tableName('a.b.c'), ['a', 'b.c']);
  t.same(tableName('.item'), ['', 'item']);
  t.end();
});
