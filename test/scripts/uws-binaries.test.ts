/** The hash of the binary of uWebSockets.js is compared as packages are installed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
const REAL = path.join(PROJECT, 'node_modules/uWebSockets.js');
const BINARY = `uws_linux_${process.arch}_${process.versions.modules}.node`;

/** install runs the install script of a package that was installed beside a uWebSockets.js of that manifest and binary. */
function install(t: Test, manifest: object, binary: Buffer) {
  const app = t.testdir({
    node_modules: {
      'uWebSockets.js': { 'package.json': JSON.stringify(manifest), [BINARY]: '' },
      'sql-rest-service': { scripts: {}, build: {}, 'package.json': '{}' },
    },
  });
  const root = path.join(app, 'node_modules/sql-rest-service');
  fs.writeFileSync(path.join(app, 'node_modules/uWebSockets.js', BINARY), binary);
  for (const file of ['install.mjs', 'uws-binaries.mjs', 'uws-binaries.json'])
    fs.copyFileSync(path.join(PROJECT, 'scripts', file), path.join(root, 'scripts', file));
  // The addon and the plugin host of this machine: nothing is built.
  fs.cpSync(path.join(PROJECT, 'build/Release'), path.join(root, 'build/Release'), {
    recursive: true,
    filter: (name) => fs.statSync(name).isDirectory() || /\.node$|plugin_host$/.test(name),
  });
  return spawnSync(process.execPath, [path.join(root, 'scripts/install.mjs')], {
    encoding: 'utf8',
  });
}

const published = JSON.parse(fs.readFileSync(path.join(REAL, 'package.json'), 'utf8')) as object;
const intact = fs.readFileSync(path.join(REAL, BINARY));

t.test('a binary with one other bit stops the installation', (t) => {
  const changed = Buffer.from(intact);
  changed[changed.length >> 1]! ^= 1;
  const done = install(t, published, changed);
  t.equal(done.status, 1);
  t.match(done.stderr, `${BINARY} of uWebSockets.js is not the file that was published`);
  t.end();
});

t.test('the published binary is installed', (t) => {
  const done = install(t, published, intact);
  t.equal(done.status, 0, done.stderr);
  t.equal(done.stderr, '');
  t.end();
});

t.test('another package, which whoever installs has chosen, is not compared', (t) => {
  const done = install(t, { name: 'uWebSockets.js', version: '20.60.0' }, Buffer.from('other'));
  t.equal(done.status, 0, done.stderr);
  t.match(done.stderr, 'uWebSockets.js is uWebSockets.js 20.60.0 here: the hash');
  t.end();
});
