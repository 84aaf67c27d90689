import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createLogger } from '#app/observe/log.js';
import { ScriptStore } from '#app/script/files/script-store.js';
import { ask } from './asked.js';
import { forgottenTest } from './forgotten-names.js';

const log = createLogger({ level: 'silent', pretty: false }, {});

/** An old file, which has settled. */
function write(path: string, text: string | Buffer): void {
  writeFileSync(path, text);
  const past = Date.now() / 1000 - 60;
  utimesSync(path, past, past);
}

function folderOf(t: Test): string {
  const root = t.testdir({ tree: { f: {}, g: {} }, outside: {} });
  return root;
}

t.test('what is no usable script', async (t) => {
  const root = folderOf(t);
  const tree = `${root}/tree`;
  write(`${root}/outside/secret.read.sql`, 'secret');
  write(`${tree}/f/broken.read.sql`, 'SELECT {{if}}');
  write(`${tree}/f/large.read.sql`, 'x'.repeat((1 << 20) + 1));
  write(`${tree}/f/largest.read.sql`, 'x'.repeat(1 << 20));
  write(`${tree}/f/latin.read.sql`, Buffer.from([0x53, 0xe9]));
  write(`${tree}/f/nul.read.sql`, 'a\0b');
  write(`${tree}/f/mark.read.sql`, '\uFEFFmarked');
  write(`${tree}/f/only.write.sql`, 'written');
  write(`${tree}/f/both.update.sql`, 'updated');
  write(`${tree}/f/both.delete.sql`, 'deleted');
  mkdirSync(`${tree}/f/folder.read.sql`);
  symlinkSync(`${root}/outside/secret.read.sql`, `${tree}/f/link.read.sql`);
  symlinkSync(`${root}/outside`, `${tree}/away`);
  symlinkSync(`${tree}/f/only.write.sql`, `${tree}/g/inner.write.sql`);
  symlinkSync(`${tree}/f`, `${tree}/inner`);
  symlinkSync(`${tree}/f/loop.read.sql`, `${tree}/f/loop.read.sql`);
  t.equal(spawnSync('mkfifo', [`${tree}/f/pipe.read.sql`]).status, 0);
  const cases: [path: string, method: string, found: string][] = [
    ['f/nope', 'GET', 'script_not_found'],
    ['nope/nope', 'GET', 'script_not_found'],
    ['f/folder', 'GET', 'script_not_found'],
    ['f/pipe', 'GET', 'script_not_found'],
    ['f/broken', 'GET', 'script_not_usable'],
    ['f/broken', 'POST', 'method_not_allowed GET, HEAD, OPTIONS'],
    ['f/large', 'GET', 'script_not_usable'],
    ['f/largest', 'GET', 'x'.repeat(1 << 20)],
    ['f/latin', 'GET', 'script_not_usable'],
    ['f/nul', 'GET', 'script_not_usable'],
    ['f/mark', 'GET', 'marked'],
    ['f/loop', 'GET', 'script_not_usable'],
    ['f/link', 'GET', 'invalid_script_path'],
    ['away/secret', 'GET', 'invalid_script_path'],
    ['g/inner', 'POST', 'written'],
    ['inner/only', 'POST', 'written'],
    ['f/only', 'GET', 'method_not_allowed POST, OPTIONS'],
    ['f/only', 'PROPFIND', 'method_not_allowed POST, OPTIONS'],
    ['f/both', 'PATCH', 'updated'],
    ['f/both', 'PUT', 'updated'],
    ['f/both', 'DELETE', 'deleted'],
    ['f/both', 'HEAD', 'method_not_allowed PUT, PATCH, DELETE, OPTIONS'],
    ['f/__proto__', 'GET', 'script_not_found'],
    ['constructor/constructor', 'GET', 'script_not_found'],
  ];
  const store = new ScriptStore(tree, log);
  for (const [path, method, found] of cases) {
    t.equal(await ask(store, path, method), found, `${method} ${path}`.slice(0, 60));
  }
  const gone = new ScriptStore(`${root}/not-there`, log);
  t.equal(await ask(gone, 'f/only', 'POST'), 'script_not_found', 'no directory at all');
});

/** Asks while `change` runs, until the answer is `last`, and a while longer; the answers in the order they came first. */
async function watch(
  store: ScriptStore,
  path: string,
  change: () => Promise<void>,
  last: string,
): Promise<string[]> {
  const seen: string[] = [];
  const changing = { ended: false };
  const asking = (async () => {
    for (let same = 0; same < 100; same = changing.ended && seen.at(-1) === last ? same + 1 : 0) {
      const answer = await ask(store, path);
      if (seen.at(-1) !== answer) seen.push(answer);
      await sleep(5);
    }
  })();
  await change();
  changing.ended = true;
  await asking;
  return seen;
}

t.test('an edit becomes live, and never half of it', async (t) => {
  const tree = `${folderOf(t)}/tree`;
  const long = 'SELECT '.padEnd(5000, 'x');
  const changes: [
    what: string,
    before: string | undefined,
    after: string,
    change: (file: string) => Promise<void>,
  ][] = [
    [
      'written in place, in pieces with pauses',
      'old',
      long,
      async (file) => {
        const fd = openSync(file, 'w');
        for (let i = 0; i < 5000; i += 1000) {
          writeSync(fd, long.slice(i, i + 1000));
          fsyncSync(fd);
          await sleep(200);
        }
        closeSync(fd);
      },
    ],
    ['written in place at once', 'old', 'new', (file) => writeFile(file, 'new')],
    [
      'renamed over',
      'old',
      'new',
      async (file) => {
        writeFileSync(`${file}.tmp`, 'n');
        await sleep(50);
        writeFileSync(`${file}.tmp`, 'new');
        renameSync(`${file}.tmp`, file);
      },
    ],
    [
      'moved away, then written anew',
      'old',
      'new',
      async (file) => {
        renameSync(file, `${file}~`);
        await sleep(100);
        writeFileSync(file, 'new');
      },
    ],
    ['created', undefined, 'new', (file) => writeFile(file, 'new')],
    ['deleted', 'old', 'script_not_found', (file) => unlink(file)],
    ['broken', 'old', 'script_not_usable', (file) => writeFile(file, '{{')],
    ['mended', '{{', 'new', (file) => writeFile(file, 'new')],
    ['of the same size', 'one', 'two', (file) => writeFile(file, 'two')],
  ];
  await Promise.all(
    changes.map(async ([what, before, after, change], i) => {
      const file = `${tree}/f/s${i}.read.sql`;
      if (before !== undefined) write(file, before);
      const store = new ScriptStore(tree, log);
      const first = await ask(store, `f/s${i}`);
      const seen = await watch(store, `f/s${i}`, () => change(file), after);
      t.strictSame(seen, [first, after], what);
    }),
  );
});

/** A script that was not requested for so long is checked first, ms. */
const UNUSED = 1_000;

t.test('a script that was not requested for a while is as new as its file', async (t) => {
  const tree = `${folderOf(t)}/tree`;
  const file = `${tree}/f/s.read.sql`;
  write(file, 'old');
  const store = new ScriptStore(tree, log);
  t.equal(await ask(store, 'f/s'), 'old');
  writeFileSync(file, 'new');
  await sleep(500); // it has settled
  t.equal(await ask(store, 'f/s', 'GET', UNUSED), 'new', 'edited meanwhile');
  unlinkSync(file);
  t.equal(await ask(store, 'f/s', 'GET', UNUSED), 'script_not_found', 'deleted meanwhile');
});

t.test('a new script whose writer is at work is waited for', async (t) => {
  const tree = `${folderOf(t)}/tree`;
  const file = `${tree}/f/s.read.sql`;
  const store = new ScriptStore(tree, log);
  const fd = openSync(file, 'w');
  writeSync(fd, 'SELECT');
  const asked = ask(store, 'f/s');
  await sleep(200);
  writeSync(fd, ' 1');
  closeSync(fd);
  t.equal(await asked, 'SELECT 1');
});

forgottenTest(t, 4_000, 4);
