/**
 * The toolchains of the peers in C, Go and Rust: one that is missing, and one that fails.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { FLOOR, GO_PEER, RUST_PEER } from '../../bench/contestants.js';
import {
  buildProgram,
  builtProgram,
  C,
  CARGO,
  GO,
  toolchainMissing,
} from '../../bench/peers/build.js';
import { fromProject } from '../../bench/project.js';

const PATH = process.env['PATH'];
t.afterEach(() => {
  process.env['PATH'] = PATH;
});

t.test('versions of packages are exact, and their checksums are kept', (t) => {
  t.ok(existsSync(source(GO_PEER, 'go.sum')));
  t.ok(existsSync(source(RUST_PEER, 'Cargo.lock')));
  const [, packages] = readFileSync(source(RUST_PEER, 'Cargo.toml'), 'utf8').split(
    '[dependencies]\n',
  );
  for (const line of packages!.trim().split('\n')) t.match(line, /version = "=\d/);
  t.end();
});

t.test('built below .bench/', (t) => {
  for (const [toolchain, name] of [
    [C, FLOOR],
    [GO, GO_PEER],
    [CARGO, RUST_PEER],
  ] as const) {
    t.ok(builtProgram(toolchain, name).startsWith(fromProject(`.bench/peers/${name}/`)));
  }
  t.end();
});

t.test('a toolchain that is not on the PATH', (t) => {
  process.env['PATH'] = t.testdir({});
  t.equal(toolchainMissing(C), 'cc is not on the PATH');
  t.equal(toolchainMissing(GO), 'go is not on the PATH');
  t.equal(toolchainMissing(CARGO), 'cargo is not on the PATH');
  t.end();
});

t.test('a build that fails gives its reason in one line', async (t) => {
  const folder = t.testdir({});
  for (const [printed, reason] of [
    ['no network', 'cargo failed (101): no network'],
    [
      'error: failed to get a\n\nCaused by:\n  no network',
      'cargo failed (101): error: failed to get a … no network',
    ],
  ] as const) {
    writeFileSync(path.join(folder, 'cargo'), `#!/bin/sh\nprintf '${printed}' >&2\nexit 101\n`, {
      mode: 0o755,
    });
    process.env['PATH'] = `${folder}:${PATH}`;
    t.equal(toolchainMissing(CARGO), undefined);
    await t.rejects(buildProgram(CARGO, RUST_PEER), { message: reason });
  }
});

function source(name: string, file: string): string {
  return fromProject(`bench/peers/${name}/${file}`);
}
