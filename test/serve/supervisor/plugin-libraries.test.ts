/** PluginLibraries reads each library once, completely, and only from its folder. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { PluginLibraries, type LibraryRequester } from '#app/serve/supervisor/plugin-libraries.js';

/** A folder of libraries that were written some time ago. */
function libraryFolder(t: Pick<Test, 'teardown'>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'libraries '));
  t.teardown(() => rmSync(root, { recursive: true }));
  const folder = path.join(root, 'lib');
  mkdirSync(folder);
  return folder;
}

function write(file: string, content: string | Buffer): void {
  writeFileSync(file, content);
  utimesSync(file, 1e9, 1e9);
}

/** An HTTP process; messages reach it in later turns of the loop. */
class Requester implements LibraryRequester {
  /** Parts that were under way at one time, at most. */
  most = 0;
  dead = false;
  #under = 0;
  #parts: Buffer[] = [];
  #done: (got: string) => void = () => undefined;

  send(
    message: Parameters<LibraryRequester['send']>[0],
    sent: (error: Error | null) => void,
  ): void {
    this.most = Math.max(this.most, ++this.#under);
    setImmediate(() => {
      this.#under--;
      sent(this.dead ? new Error('gone') : null);
      if (message.type === 'library-rejected')
        this.#done(`${message.reason}: ${message.detail.split(',')[0]!}`);
      else {
        this.#parts.push(Buffer.from(message.data, 'base64'));
        if (message.last) this.#done(Buffer.concat(this.#parts).toString('latin1'));
      }
    });
  }

  /** get asks for a library: its content, or why not. */
  get(libraries: PluginLibraries, folder: string, name: string): Promise<string> {
    this.#parts = [];
    const got = new Promise<string>((resolve) => (this.#done = resolve));
    libraries.request(folder, name, this);
    return got;
  }
}

t.test('rejected libraries', async (t) => {
  const folder = libraryFolder(t);
  const libraries = new PluginLibraries(1_000);
  write(path.join(folder, '..', 'outside.so'), 'outside');
  mkdirSync(path.join(folder, '..', 'lib2'));
  write(path.join(folder, '..', 'lib2', 'beside.so'), 'beside');
  symlinkSync('../outside.so', path.join(folder, 'link.so'));
  symlinkSync('../lib2/beside.so', path.join(folder, 'beside.so'));
  symlinkSync('gone.so', path.join(folder, 'dangling.so'));
  symlinkSync('loop.so', path.join(folder, 'loop.so'));
  symlinkSync('/dev/zero', path.join(folder, 'zero.so'));
  mkdirSync(path.join(folder, 'folder.so'));
  execFileSync('mkfifo', [path.join(folder, 'pipe.so')]);
  const socket = createServer().listen(path.join(folder, 'socket.so'));
  t.teardown(() => socket.close());
  write(path.join(folder, 'large.so'), 'x'.repeat(1_001));
  write(path.join(folder, 'limit.so'), 'x'.repeat(1_000));
  write(path.join(folder, 'secret.so'), 'secret');
  chmodSync(path.join(folder, 'secret.so'), 0o200);
  const asker = new Requester();
  for (const [name, wanted] of [
    ['absent', 'missing: there is no such file'],
    ['link', 'missing: it leads out of the folder'],
    ['beside', 'missing: it leads out of the folder'],
    ['dangling', 'missing: there is no such file'],
    ['loop', 'unusable: ELOOP: too many symbolic links encountered'],
    ['zero', 'missing: it leads out of the folder'],
    ['folder', 'unusable: it is not a regular file'],
    ['pipe', 'unusable: it is not a regular file'],
    ['large', 'unusable: it is larger than 1000 bytes'],
    ['../outside', 'missing: not an identifier'],
    ['', 'missing: not an identifier'],
    ['a.b', 'missing: not an identifier'],
    ['a\0b', 'missing: not an identifier'],
    ['ü'.repeat(32), 'missing: not an identifier'],
    ['ü'.repeat(31), 'missing: there is no such file'],
  ] as const)
    t.equal(await asker.get(libraries, folder, name), wanted, JSON.stringify(name));
  t.match(await asker.get(libraries, folder, 'socket'), /^unusable: /);
  if (process.getuid?.() !== 0) t.match(await asker.get(libraries, folder, 'secret'), /EACCES/);
  t.match(await asker.get(libraries, path.join(folder, 'none'), 'a'), /^missing/);
  t.equal(libraries.size, 0, 'rejected libraries are not kept');
  t.equal((await asker.get(libraries, folder, 'limit')).length, 1_000);
});

t.test('inside the folder, also through links', async (t) => {
  const folder = libraryFolder(t);
  mkdirSync(path.join(folder, 'v1'));
  write(path.join(folder, 'v1', 'real.so'), 'real');
  symlinkSync('v1/real.so', path.join(folder, 'inner.so'));
  symlinkSync('lib', path.join(folder, '..', 'alias'));
  const asker = new Requester();
  const libraries = new PluginLibraries();
  t.equal(await asker.get(libraries, folder, 'inner'), 'real');
  t.equal(await asker.get(libraries, path.join(folder, '..', 'alias'), 'inner'), 'real');
});

t.test('read once, even if the file changes', async (t) => {
  const folder = libraryFolder(t);
  const file = path.join(folder, 'a.so');
  const libraries = new PluginLibraries();
  const [one, two] = [new Requester(), new Requester()];
  write(file, 'first');
  t.strictSame(
    await Promise.all([one.get(libraries, folder, 'a'), two.get(libraries, folder, 'a')]),
    ['first', 'first'],
  );
  libraries.loaded(folder, 'a', one, true);
  libraries.loaded(folder, 'a', two, false);
  const later = (): Promise<string> => new Requester().get(libraries, folder, 'a');
  write(`${file}.new`, 'second');
  renameSync(`${file}.new`, file);
  t.equal(await later(), 'first', 'replaced');
  appendFileSync(file, 'third');
  t.equal(await later(), 'first', 'overwritten');
  rmSync(file);
  t.equal(await later(), 'first', 'deleted');
  libraries.gone(one);
  libraries.gone(two);
  t.equal(await later(), 'first', 'its HTTP processes died');
});

t.test('a library that no HTTP process could load is read anew', async (t) => {
  const folder = libraryFolder(t);
  const file = path.join(folder, 'a.so');
  const libraries = new PluginLibraries();
  const [one, two, three] = [new Requester(), new Requester(), new Requester()];
  write(file, 'broken');
  await one.get(libraries, folder, 'a');
  await two.get(libraries, folder, 'a');
  write(file, 'mended');
  libraries.loaded(folder, 'a', one, false);
  t.equal(await three.get(libraries, folder, 'a'), 'broken', 'another process may still load it');
  libraries.gone(two);
  libraries.loaded(folder, 'a', three, false);
  t.equal(libraries.size, 0);
  t.equal(await one.get(libraries, folder, 'a'), 'mended');
});

t.test('large libraries are sent in parts, in order', async (t) => {
  const folder = libraryFolder(t);
  const content = Buffer.alloc((3 << 20) + 1, 'abcdefg');
  write(path.join(folder, 'a.so'), content);
  write(path.join(folder, 'empty.so'), '');
  const libraries = new PluginLibraries();
  const asker = new Requester();
  t.ok((await asker.get(libraries, folder, 'a')) === content.toString('latin1'));
  t.equal(asker.most, 1);
  t.equal(await asker.get(libraries, folder, 'empty'), '');
  asker.dead = true;
  libraries.request(folder, 'a', asker);
  libraries.gone(asker);
  t.equal(libraries.size, 0);
});

t.test('a file that is being written', async (t) => {
  const folder = libraryFolder(t);
  const file = path.join(folder, 'a.so');
  const libraries = new PluginLibraries();
  writeFileSync(file, 'half');
  const got = new Requester().get(libraries, folder, 'a');
  setTimeout(() => appendFileSync(file, ' and half'), 20);
  t.equal(await got, 'half and half');

  const changing = path.join(folder, 'b.so');
  writeFileSync(changing, Buffer.alloc(32 << 20));
  let size = 32 << 20;
  const writer = setInterval(() => truncateSync(changing, --size), 1);
  t.teardown(() => clearInterval(writer));
  t.equal(await new Requester().get(libraries, folder, 'b'), 'unusable: the file keeps changing');
});
