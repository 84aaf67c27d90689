/** The addon of a checkout that was copied with its build folders is built from the copy's sources. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** A project that copies a source to the path of the addon. */
const PROJECT_FILE = `
cmake_minimum_required(VERSION 3.18)
project(copied NONE)
foreach(name sql_rest_service.node plugin_host)
  add_custom_command(OUTPUT \${CMAKE_BINARY_DIR}/Release/\${name}
    COMMAND \${CMAKE_COMMAND} -E copy \${CMAKE_SOURCE_DIR}/native/one.cc \${CMAKE_BINARY_DIR}/Release/\${name}
    DEPENDS native/one.cc)
  add_custom_target(\${name}.built ALL DEPENDS \${CMAKE_BINARY_DIR}/Release/\${name})
endforeach()
`;

/** build runs the checkout's own script and returns the built file. */
function build(checkout: string): string {
  const script = path.join(checkout, 'scripts/build-native.js');
  const done = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${done.stdout}${done.stderr}`);
  return built(checkout);
}

function built(checkout: string): string {
  return readFileSync(path.join(checkout, 'build/Release/sql_rest_service.node'), 'utf8');
}

t.test('each checkout builds its own sources', (t) => {
  const folder = t.testdir({ first: { 'CMakeLists.txt': PROJECT_FILE, native: {}, scripts: {} } });
  const first = path.join(folder, 'first');
  const copy = path.join(folder, 'copy');
  const write = (checkout: string, text: string): void =>
    writeFileSync(path.join(checkout, 'native/one.cc'), text);
  for (const name of ['build-native.js', 'cmake-cache.js'])
    cpSync(path.join(PROJECT, 'scripts', name), path.join(first, 'scripts', name));
  writeFileSync(
    path.join(first, 'package.json'),
    '{"type": "module", "binary": {"napi_versions": [8]}}',
  );
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(first, 'node_modules'));
  mkdirSync(path.join(first, 'build'));
  write(first, 'first');
  t.equal(build(first), 'first');
  cpSync(first, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  t.equal(built(copy), 'first');
  write(copy, 'changed in the copy');
  t.equal(build(copy), 'changed in the copy');
  t.equal(built(first), 'first', 'the first one is left alone');
  write(copy, 'changed again');
  t.equal(build(copy), 'changed again');
  write(first, 'changed in the first');
  t.equal(build(first), 'changed in the first');
  t.equal(built(copy), 'changed again');
  t.end();
});
