/**
 * Builds the C++ addon and the plugin host with cmake-js into build/Release, unless they are newer than their sources; with
 * --sanitized, under AddressSanitizer and UBSan, into build/Sanitized/build/Release. It uses Node's installed headers and no
 * network. Prints an error and exits with 1 when the build fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { dropForeignCache } from './cmake-cache.js';

const root = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..');
const outputs = ['sql_rest_service.node', 'plugin_host'].map((name) =>
  join(root, 'build/Release', name),
);
/** Records the Node that they were built with: another one needs a new build. */
const stamp = join(root, 'build/Release/built-with.txt');

function isFresh() {
  if (![...outputs, stamp].every((file) => existsSync(file))) return false;
  if (readFileSync(stamp, 'utf8') !== builtWith()) return false;
  const built = Math.min(...outputs.map((output) => statSync(output).mtimeMs));
  const native = join(root, 'native');
  const sources = readdirSync(native, { recursive: true })
    .filter((name) => /^(include\/)?[^/]*\.(cc|h|txt|map)$/.test(name))
    .map((name) => join(native, name));
  sources.push(join(root, 'CMakeLists.txt'));
  return sources.every((source) => statSync(source).mtimeMs < built);
}

function builtWith() {
  return `${process.version} ${process.arch}\n`;
}

/** The folder of Node's headers: installed with Node, or by node-gyp when it built libpq's addon. */
function nodeHeaders() {
  const roots = [
    process.env.npm_config_nodedir,
    resolve(process.execPath, '../..'),
    join(homedir(), '.cache/node-gyp', process.versions.node),
  ];
  for (const folder of roots) {
    if (folder === undefined) continue;
    const headers = join(folder, 'include/node');
    if (existsSync(join(headers, 'uv.h'))) return headers;
  }
  throw new Error(
    `Node's headers were not found (looked for include/node/uv.h below ${roots.filter(Boolean).join(', ')}); ` +
      'set npm_config_nodedir to the folder that has them',
  );
}

/** Build folder with sanitizers, and its options for cmake-js. */
const SANITIZED_FOLDER = 'build/Sanitized/build';
const SANITIZED = [`--out=${SANITIZED_FOLDER}`, '--CDSANITIZERS=address,undefined'];

function build(sanitized) {
  if (!sanitized && isFresh()) {
    console.log('native addon: up to date');
    return;
  }
  dropForeignCache(join(root, sanitized ? SANITIZED_FOLDER : 'build'), root);
  const cmakeJs = createRequire(import.meta.url).resolve('cmake-js/bin/cmake-js');
  const { status, error } = spawnSync(
    process.execPath,
    [
      ...[cmakeJs, 'compile', '--log-level', 'warn', `--CDNODE_INC=${nodeHeaders()}`],
      ...(sanitized ? SANITIZED : []),
    ],
    { cwd: root, stdio: 'inherit' },
  );
  if (error) throw error;
  if (status !== 0) throw new Error('cmake-js could not build the addon');
  if (!sanitized) writeFileSync(stamp, builtWith());
}

try {
  build(process.argv.includes('--sanitized'));
} catch (error) {
  console.error(`native addon: ${error.message}`);
  process.exitCode = 1;
}
