import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { makeFolder, run } from './program.js';

const LANGUAGES = {
  c: ['Makefile', 'plugin.c', 'service_plugin.h'],
  cpp: ['Makefile', 'plugin.cpp', 'service_plugin.h', 'service_plugin.hpp'],
  go: ['go.mod', 'plugin.go', 'service_plugin.c', 'service_plugin.go', 'service_plugin.h'],
  rust: ['plugin.rs', 'service_plugin.rs'],
};

t.test('invalid names, and folders that are not empty: nothing is written', async (t) => {
  const folder = makeFolder(t);
  mkdirSync(path.join(folder, 'full'));
  writeFileSync(path.join(folder, 'full/mine'), 'mine');
  writeFileSync(path.join(folder, 'file'), '');
  const cases: [name: string, stderr: RegExp][] = [
    ['../up', /no plugin can be called "\.\.\/up"/],
    ['a/b', /no plugin can be called/],
    ['a.b', /no plugin can be called/],
    ['a b', /no plugin can be called/],
    ['a\u001b[31mb', /no plugin can be called "a\\u001b/],
    ['ä'.repeat(32), /no plugin can be called/],
    ['full', /full is there, with something in it/],
    ['file', /file cannot be written: ENOTDIR/],
  ];
  for (const [name, stderr] of cases) {
    const finished = await run(folder, ['plugin', 'new', 'c', name]);
    t.equal(finished.code, 1, name);
    t.match(finished.stderr, stderr);
    t.equal(finished.stdout, '');
  }
  const flag = await run(folder, ['plugin', 'new', 'c', '--', '-o']);
  t.match(flag.stderr, /no - at its beginning/);
  t.strictSame(readdirSync(folder).sort(), ['file', 'full']);
  t.strictSame(readdirSync(path.join(folder, 'full')), ['mine']);
});

t.test('the folder of each language has all files for its build, under its name', async (t) => {
  const folder = makeFolder(t);
  for (const [language, files] of Object.entries(LANGUAGES)) {
    const name = `my-${language}`;
    if (language === 'c') mkdirSync(path.join(folder, name)); // an empty one is as good as none
    const { code, stdout, stderr } = await run(folder, ['plugin', 'new', language, name]);
    t.strictSame([code, stderr], [0, ''], language);
    t.match(stdout, `Build it:    cd ${name} && `);
    t.match(stdout, `plugin check ${name}/${name}.so`);
    t.match(stdout, `/_PLUGIN/${name}/Hello`);
    const made = path.join(folder, name);
    t.strictSame(readdirSync(made).sort(), files);
    for (const file of files) {
      t.ok(lstatSync(path.join(made, file)).isFile(), `${file} is no link`);
      const text = readFileSync(path.join(made, file), 'utf8');
      if (!file.startsWith('service_plugin')) t.notMatch(text, /\bhello\b/, file);
    }
  }
});

t.test('plugin header prints a path, with the layers beside it', async (t) => {
  const { code, stdout } = await run(makeFolder(t), ['plugin', 'header']);
  t.equal(code, 0);
  t.match(stdout, /^\/.*\/service_plugin\.h\n$/);
  for (const ending of ['h', 'hpp', 'c', 'go', 'rs'])
    t.ok(existsSync(stdout.trim().replace(/h$/, ending)), ending);
});
