/** Which stored texts match a password, and that every check costs the same. */
import { createHash } from 'node:crypto';
import bcrypt from 'bcrypt';
import t from 'tap';
import { Passwords, schemeOf } from '#app/access/logins/password.js';
import { countedBcrypt } from '../counted-bcrypt.js';

const COST = 4;
const hashOf = (password: string): string => bcrypt.hashSync(password, COST);
const hexOf = (scheme: string, password: string): string =>
  createHash(scheme).update(password).digest('hex');

const GOOD = hashOf('123456');
const LONG = 'x'.repeat(72);

const CASES: [
  name: string,
  stored: string | null | undefined,
  password: string,
  matches: boolean,
][] = [
  ['bcrypt', GOOD, '123456', true],
  ['bcrypt 2a', GOOD.replace('$2b', '$2a'), '123456', true],
  ['bcrypt 2y', GOOD.replace('$2b', '$2y'), '123456', true],
  ['bcrypt, wrong', GOOD, '1234567', false],
  ['bcrypt, empty password', GOOD, '', false],
  ['bcrypt, letters outside ASCII', hashOf('pässwörd'), 'pässwörd', true],
  ['bcrypt, 72 bytes', hashOf(LONG), LONG, true],
  ['bcrypt, 73 bytes', hashOf(LONG), `${LONG}x`, false],
  ['bcrypt, 72 letters of more bytes', hashOf('ä'.repeat(36)), 'ä'.repeat(37), false],
  ['bcrypt, NUL', hashOf('abc'), 'abc\0', false],
  ['bcrypt, NUL in both', hashOf('abc\0def'), 'abc\0def', false],
  ['bcrypt, cut off', GOOD.slice(0, 59), '123456', false],
  ['bcrypt, with more behind', `${GOOD}x`, '123456', false],
  ['bcrypt, line end', `${GOOD}\n`, '123456', false],
  ['bcrypt, another version', GOOD.replace('$2b', '$2x'), '123456', false],
  ['bcrypt, cost too low', GOOD.replace('$04', '$03'), '123456', false],
  ['bcrypt, cost of hours', GOOD.replace('$04', '$31'), '123456', false],
  ['md5', hexOf('md5', '123456'), '123456', true],
  ['md5, upper case', hexOf('md5', '123456').toUpperCase(), '123456', true],
  ['md5, wrong', hexOf('md5', '123456'), '12345', false],
  ['md5, the hash itself', hexOf('md5', '123456'), hexOf('md5', '123456'), false],
  ['md5, long password', hexOf('md5', `${LONG}x`), `${LONG}x`, true],
  ['sha1', hexOf('sha1', '123456'), '123456', true],
  ['sha1, mixed case', hexOf('sha1', 'ü').replace(/[a-f]/, (c) => c.toUpperCase()), 'ü', true],
  ['sha1, wrong', hexOf('sha1', '123456'), '', false],
  ['sha256', hexOf('sha256', '123456'), '123456', false],
  ['plain', '123456', '123456', false],
  ['plain, as long as md5', 'g'.repeat(32), 'g'.repeat(32), false],
  ['empty', '', '', false],
  ['NULL', null, '', false],
  ['nobody', undefined, '', false],
];

t.test('verify', async (t) => {
  for (const [name, stored, password, matches] of CASES) {
    const counted = countedBcrypt();
    t.equal(await new Passwords(counted).verify(stored, password), matches, name);
    t.equal(counted.compared.length, 1, `${name}: one comparison`);
    t.equal(counted.hashed, 0);
  }
});

t.test('a dummy comparison costs what the last real one did', async (t) => {
  const counted = countedBcrypt();
  const passwords = new Passwords(counted);
  await passwords.verify(undefined, 'x');
  await passwords.verify(bcrypt.hashSync('x', 5), 'y');
  await passwords.verify(undefined, 'x');
  await passwords.verify(hexOf('md5', 'x'), 'x');
  await passwords.verify(GOOD, 'x\0');
  await passwords.verify(GOOD.replace('$04', '$31'), 'x');
  t.strictSame(counted.compared, [10, 5, 5, 5, COST, COST]);
});

t.test('hash', async (t) => {
  const passwords = new Passwords();
  const bcrypted = await passwords.hash('123456', 'bcrypt');
  t.match(bcrypted, /^\$2b\$10\$/);
  t.ok(await passwords.verify(bcrypted, '123456'));
  t.equal(await passwords.hash('123456', 'md5'), 'e10adc3949ba59abbe56e057f20f883e');
  t.equal(await passwords.hash('123456', 'sha1'), '7c4a8d09ca3762af61e59520943dc26494f8941b');
  await t.rejects(passwords.hash(`${LONG}x`, 'bcrypt'), /cannot hold/);
  await t.rejects(passwords.hash('a\0b', 'bcrypt'), /cannot hold/);
  t.strictSame(['e10adc3949ba59abbe56e057f20f883e', bcrypted, 'plain', null].map(schemeOf), [
    'md5',
    'bcrypt',
    undefined,
    undefined,
  ]);
});

t.test('two run at a time, a limited number waits', async (t) => {
  const counted = countedBcrypt();
  const passwords = new Passwords(counted);
  const stored = bcrypt.hashSync('right', 6);
  const checks = Array.from({ length: 70 }, (_, i) =>
    passwords.verify(stored, i % 2 === 0 ? 'right' : 'wrong').catch((error: unknown) => error),
  );
  const outcomes = await Promise.all(checks);
  const refused = outcomes.filter((outcome) => typeof outcome !== 'boolean');
  t.equal(refused.length, 4);
  t.match(refused, Array(4).fill({ code: 'busy', status: 503 }));
  t.equal(outcomes.filter((outcome) => outcome === true).length, 33);
  t.equal(counted.most, 2);
  t.equal(counted.compared.length, 66);
  t.ok(await passwords.verify(stored, 'right'), 'there is room again');
});

t.test('a waiting check runs after a failed one', async (t) => {
  const counted = countedBcrypt();
  const passwords = new Passwords({
    ...counted,
    compare: () => Promise.reject(new Error('out of memory')),
  });
  for (let i = 0; i < 5; i++) await t.rejects(passwords.verify(GOOD, 'x'), /out of memory/);
});
