/** Names in paths. */
import t from 'tap';
import { isIdentifier, isSqlName } from '#app/base/identifier.js';

for (const name of [
  '',
  ' ',
  'a b',
  'a.b',
  'a/b',
  'a%',
  'a\0',
  'a\n',
  'a'.repeat(64),
  'é'.repeat(32),
])
  t.equal(isIdentifier(name), false, JSON.stringify(name));

for (const name of [
  'a',
  '1',
  '_',
  '-',
  'a-b_c',
  'Übung',
  '東京',
  '٣',
  'a'.repeat(63),
  'é'.repeat(31),
])
  t.equal(isIdentifier(name), true, name);

for (const name of [
  '',
  '.',
  'a.',
  '.a',
  'a..b',
  'a b',
  'a-b',
  '1',
  'a.1',
  'é',
  'a\n',
  '"a"',
  'a'.repeat(64),
])
  t.equal(isSqlName(name), false, JSON.stringify(name));

for (const name of ['a', '_1', 'A.b.c_2', `${'a'.repeat(63)}.${'b'.repeat(63)}`])
  t.equal(isSqlName(name), true, name);
