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

/** An entry, written as `database:location/name permissions`; a dash stands for an absent member. */
function entry(text: string): ScriptEntry {
  const [path = '', words = ''] = text.split(' ');
  const [database, location, name] = path
    .split(/[:/]/)
    .map((member) => (member === '-' ? undefined : member));
  return { database, location, name, permissions: words === '' ? [] : words.split(',') };
}

interface Case {
  readonly what: string;
  readonly everybody?: readonly string[];
  readonly user?: readonly string[];
  /** By default `ann` requests `db:shop/list`. */
  readonly asked?: readonly [user: string, alias: string, folder: string, script: string];
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
];

t.test('the entry that decides', (t) => {
  for (const { what, everybody = [], user = [], asked = ASKED, expected } of CASES) {
    const access = new ScriptAccess({
      scripts: everybody.map(entry),
      users: [{ name: 'ann', scripts: user.map(entry) }],
    });
    t.equal(access.permissions(...asked), expected, what);
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
  t.equal(access.permissions('ann', 'db', 'shop', 'list'), READ);
  t.equal(access.permissions('ann', 'db', 'shop', 'other'), WRITE);
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
