import t from 'tap';
import {
  DELETE,
  isWildcard,
  permissionFor,
  READ,
  ScriptAccess,
  WRITE,
} from '#app/access/script-access.js';
import type { ScriptEntry } from '#app/messages/access-settings.js';

/** An entry, written as `database:location/name permissions scopes`; a dash stands for an absent member. */
function entry(text: string): ScriptEntry {
  const [path = '', words = '', scope] = text.split(' ');
  const [database, location, name] = path
    .split(/[:/]/)
    .map((member) => (member === '-' ? undefined : member));
  return {
    database,
    location,
    name,
    permissions: words === '' ? [] : words.split(','),
    scope: scope?.split(','),
  };
}

interface Case {
  readonly what: string;
  readonly everybody?: readonly string[];
  readonly user?: readonly string[];
  /** By default `ann` requests `db:shop/list`. */
  readonly asked?: readonly [user: string, alias: string, folder: string, script: string];
  readonly scopes?: readonly string[];
  readonly expected: number;
}

const ASKED = ['ann', 'db', 'shop', 'list'] as const;

const CASES: readonly Case[] = [
  { what: 'no entry at all', expected: 0 },
  { what: 'an entry for another script', everybody: ['-:shop/other read'], expected: 0 },
  { what: 'an entry for another folder', everybody: ['-:other/list read'], expected: 0 },
  { what: 'an entry for another database', everybody: ['other:shop/list read'], expected: 0 },
  {
    what: 'names differ in case',
    everybody: ['-:Shop/list read', '-:shop/List read'],
    expected: 0,
  },
  { what: 'a name is no prefix', everybody: ['-:shop/lis read', '-:sho/list read'], expected: 0 },
  { what: 'no permissions', everybody: ['-:shop/list'], expected: 0 },
  { what: 'exact', everybody: ['db:shop/list read'], expected: READ },
  { what: 'several permissions', everybody: ['-:shop/list read,delete'], expected: READ | DELETE },
  { what: 'wildcards', everybody: ['*:*/* write'], expected: WRITE },
  { what: 'absent members', everybody: ['-:-/- write'], expected: WRITE },
  {
    what: 'a user over everybody',
    everybody: ['db:shop/list read,write'],
    user: ['-:-/- read'],
    expected: READ,
  },
  {
    what: 'a user is denied what everybody may',
    everybody: ['-:shop/list read'],
    user: ['-:shop/list'],
    expected: 0,
  },
  {
    what: 'a user whose entries do not match is like everybody',
    everybody: ['-:shop/list read'],
    user: ['-:shop/other write'],
    expected: READ,
  },
  {
    what: 'an exact database over exact names',
    everybody: ['db:-/- read', '-:shop/list write'],
    expected: READ,
  },
  {
    what: 'exact names over wildcards, whichever comes last',
    everybody: ['-:shop/list read', '-:shop/- write', '-:-/- delete'],
    expected: READ,
  },
  {
    what: 'among equals the last',
    everybody: ['-:shop/list read', '-:shop/list write'],
    expected: WRITE,
  },
  {
    what: 'another user',
    everybody: ['-:shop/list read'],
    user: ['-:shop/list write'],
    asked: ['bob', 'db', 'shop', 'list'],
    expected: READ,
  },
  {
    what: 'the case of a user',
    user: ['-:shop/list write'],
    asked: ['Ann', 'db', 'shop', 'list'],
    expected: 0,
  },
  {
    what: 'a caller without a name',
    everybody: ['-:shop/list read'],
    user: ['-:shop/list write'],
    asked: ['', 'db', 'shop', 'list'],
    expected: READ,
  },
  {
    what: 'a caller named like a member of every object',
    everybody: ['-:shop/list read'],
    asked: ['__proto__', 'db', 'shop', 'list'],
    expected: READ,
  },
  { what: 'no scope', everybody: ['-:shop/list read r'], expected: 0 },
  { what: 'the scope', everybody: ['-:shop/list read r'], scopes: ['x', 'r'], expected: READ },
  {
    what: 'a scope in another case',
    everybody: ['-:shop/list read r'],
    scopes: ['R'],
    expected: 0,
  },
  {
    what: 'a scope is no prefix, and has none',
    everybody: ['-:shop/list read orders'],
    scopes: ['orders:read', 'order', ''],
    expected: 0,
  },
  { what: 'one of two', everybody: ['-:shop/list read r,s'], scopes: ['r'], expected: 0 },
  { what: 'both', everybody: ['-:shop/list read r,s'], scopes: ['s', 'r'], expected: READ },
  {
    what: 'a specific entry whose scope is missing is not replaced by a wide one',
    everybody: ['-:-/- read,write', '-:shop/list read r'],
    expected: 0,
  },
  {
    what: 'entries with scopes add up',
    everybody: ['-:shop/list read r', '-:shop/list write w', '-:shop/list delete d'],
    scopes: ['r', 'w'],
    expected: READ | WRITE,
  },
  {
    what: 'they add to what the entry without one permits, wherever it is',
    everybody: ['-:shop/list write w', '-:shop/list read'],
    scopes: ['w'],
    expected: READ | WRITE,
  },
  {
    what: 'an entry of a user whose scope is missing replaces those for everybody',
    everybody: ['-:shop/list read'],
    user: ['-:shop/list read r'],
    expected: 0,
  },
];

t.test('the entry that decides', (t) => {
  for (const { what, everybody = [], user = [], asked = ASKED, scopes = [], expected } of CASES) {
    const access = new ScriptAccess({
      scripts: everybody.map(entry),
      users: [{ name: 'ann', scripts: user.map(entry) }],
    });
    const [name, ...script] = asked;
    t.equal(access.permissions({ name, scopes: new Set(scopes) }, ...script), expected, what);
  }
  t.end();
});

t.test('a user named twice has the entries of both', (t) => {
  const access = new ScriptAccess({
    scripts: [],
    users: [
      { name: 'ann', scripts: [entry('-:shop/list read')] },
      { name: 'ann', scripts: [entry('-:shop/other write')] },
    ],
  });
  const ann = { name: 'ann', scopes: new Set<string>() };
  t.equal(access.permissions(ann, 'db', 'shop', 'list'), READ);
  t.equal(access.permissions(ann, 'db', 'shop', 'other'), WRITE);
  t.end();
});

t.test('the scopes that would help', (t) => {
  const cases: [
    entries: string[],
    scopes: string[],
    needed: number,
    expected: string | undefined,
  ][] = [
    [['-:shop/list read'], [], WRITE, undefined],
    [['-:shop/list read r'], [], WRITE, undefined],
    [['-:shop/list read r', '-:shop/list write w'], [], WRITE, 'w'],
    [['-:shop/list write w,x'], ['x'], WRITE, 'w x'],
    [['-:-/- write w', '-:shop/list read'], [], WRITE, undefined],
    [['-:shop/other write w'], [], WRITE, undefined],
  ];
  for (const [entries, scopes, needed, expected] of cases) {
    const access = new ScriptAccess({ scripts: entries.map(entry), users: [] });
    const holder = { name: 'ann', scopes: new Set(scopes) };
    t.equal(access.scopeFor(holder, needed, 'db', 'shop', 'list'), expected, entries.join());
  }
  t.end();
});

t.test('permissions of methods', (t) => {
  for (const method of ['GET', 'HEAD']) t.equal(permissionFor(method), READ, method);
  for (const method of ['POST', 'PUT', 'PATCH']) t.equal(permissionFor(method), WRITE, method);
  t.equal(permissionFor('DELETE'), DELETE);
  for (const method of ['OPTIONS', 'PROPFIND', 'get', '__proto__', 'constructor'])
    t.equal(permissionFor(method), READ | WRITE | DELETE, method);
  t.strictSame([undefined, '*', '', 'a', '**'].map(isWildcard), [true, true, false, false, false]);
  t.end();
});
