/** Key sets in files: missing, invalid, changed. */
import { spawnSync } from 'node:child_process';
import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { fileText } from '#app/access/tokens/key-set-text.js';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { ServiceError } from '#app/base/errors.js';
import { keySet, makeKey, outcome, recordingLog, settings, signed } from './tokens.js';
import { until } from '../support/until.js';

const key = makeKey('ES256');
const token = (sub: string): string => signed(key, { sub });

function start(t: Test, more: { key?: string } = {}) {
  const file = join(t.testdir({}), 'keys.json');
  const { log, lines } = recordingLog();
  const times = { file: 20, cooldown: 20 };
  const verifier = new TokenVerifier(settings('ES256', { jwks: file, ...more }), log, { times });
  t.teardown(() => verifier.close());
  return { file, lines, verifier };
}

t.test('a missing file: 503, until it exists', async (t) => {
  const { file, lines, verifier } = start(t);
  t.equal(await outcome(verifier, token('a')), 'busy');
  await t.rejects(Promise.resolve(verifier.verify(token('a'))), {
    constructor: ServiceError,
    status: 503,
    message: /keys .* not there yet/,
  });
  t.equal(await outcome(verifier, 'a.b.c'), 'invalid_token', 'garbage is garbage without keys');
  t.equal(await outcome(verifier, signed(makeKey('RS256'), {})), 'invalid_token');

  const unusable: [what: string, make: () => Promise<void> | void][] = [
    ['half a set', () => writeFile(file, keySet({ key }).slice(0, -20))],
    ['an empty file', () => writeFile(file, '')],
    ['another kind of JSON', () => writeFile(file, '{"kty":"EC"}')],
    ['a large file', () => writeFile(file, keySet({ key }).padEnd(300_000))],
    ['a folder', () => mkdir(file)],
    ['a pipe', () => void spawnSync('mkfifo', [file])],
  ];
  for (const [what, make] of unusable) {
    await make();
    await new Promise((resolve) => setTimeout(resolve, 60));
    t.equal(await outcome(verifier, token('a')), 'busy', what);
    await rm(file, { recursive: true });
  }
  t.match(lines, [/^warn: .*no keys yet.*"reason":"ENOENT"/]);
  t.equal(lines.length, 1, 'said once');

  await writeFile(file, keySet({ key }));
  await until(async () => (await outcome(verifier, token('a'))) === 'name:a');
  t.match(lines.slice(1), [/^info: .*loaded.*"keys":1/]);
});

t.test('a file that is far too large is not read', async (t) => {
  const file = join(t.testdir({ 'keys.json': '' }), 'keys.json');
  await truncate(file, 3 * 2 ** 30); // more than a buffer takes
  const read = fileText(file, new AbortController().signal);
  await t.rejects(read, { message: 'it is larger than 256 KiB' });
});

t.test('the last good set is kept', async (t) => {
  const { file, lines, verifier } = start(t);
  await writeFile(file, keySet({ key }));
  await until(async () => (await outcome(verifier, token('a'))) === 'name:a');
  await writeFile(file, '{"keys": "hush');
  await until(() =>
    lines.some((line) => line.startsWith('warn: the key set cannot be loaded: the keys of before')),
  );
  t.equal(await outcome(verifier, token('b')), 'name:b');
  await rm(file);
  await new Promise((resolve) => setTimeout(resolve, 60));
  t.equal(await outcome(verifier, token('c')), 'name:c');
  t.notMatch(lines.join(), 'hush');

  const before = lines.length;
  await writeFile(file, keySet({ key }));
  await until(() => lines.length > before);
  t.match(lines.at(-1), /^info: .*can be loaded again/);

  const next = makeKey('ES256');
  await writeFile(`${file}.new`, keySet({ next }));
  await rename(`${file}.new`, file);
  await until(async () => (await outcome(verifier, signed(next, { sub: 'n' }))) === 'name:n');
  t.equal(await outcome(verifier, token('d')), 'invalid_claims');
});

t.test('a key of the configuration needs no file', async (t) => {
  const own = makeKey('ES256');
  const { file, verifier } = start(t, { key: own.pem });
  t.equal(await outcome(verifier, signed(own, { sub: 'o' })), 'name:o');
  t.equal(await outcome(verifier, token('a')), 'busy', 'the file may have the key');
  await writeFile(file, keySet({ key }));
  await until(async () => (await outcome(verifier, token('a'))) === 'name:a');
  t.equal(await outcome(verifier, signed(own, { sub: 'p' })), 'name:p');
});
