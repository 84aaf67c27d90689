/**
 * A copy of the built project in which one file at a time is mutated, and the tests that can see it: those of the file's
 * folder that reach it by imports, and others that are near to it, the quick ones first. The addon and node_modules are
 * shared with the project.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { transform } from 'esbuild';
import { PROJECT } from './bootstrap.mjs';
import { COMPILATION, PROGRAMS } from './build.mjs';
import { ImportGraph } from './test/import-graph.mjs';
import { endAll, spawnMarked } from './test/process-tree.mjs';

/** Seconds that a test may take beside three times what it took without a mutation. */
const PATIENCE = 30;

/** Seconds that a test may take without a mutation. */
const LIMIT = 300;

/** Imports from a test of another folder to a file that it tests. */
const NEAR = 2;

/** Tests that are tried for a file that none is near to. */
const FEW = 10;

/** Where a sandbox has modules of its own, which tests reach. */
const OWN = /^dist(-test)?\/.*\.js$/;

/** Sandbox is one copy, for one mutant at a time. */
export class Sandbox {
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mutants-'));
  #baselines;
  #graph = new ImportGraph(this.#folder);
  #tsconfig;

  /** `baselines`, shared by all sandboxes, has what each test did without a mutation. */
  constructor(baselines) {
    this.#baselines = baselines;
    for (const name of fs.readdirSync(PROJECT)) {
      if (['.git', '.tap', 'dist', 'dist-test', 'package.json'].includes(name)) continue;
      fs.symlinkSync(path.join(PROJECT, name), path.join(this.#folder, name));
    }
    for (const name of ['dist', 'dist-test', 'package.json'])
      fs.cpSync(path.join(PROJECT, name), path.join(this.#folder, name), { recursive: true });
    fs.mkdirSync(path.join(this.#folder, 'tmp'));
    this.#tsconfig = fs.readFileSync(path.join(PROJECT, 'tsconfig.base.json'), 'utf8');
    this.#unbundle();
    process.on('exit', () => this.remove());
  }

  /** Has the programs run the modules that they are bundled from. */
  #unbundle() {
    for (const [name, module] of Object.entries(PROGRAMS)) {
      const whole = fs.readFileSync(path.join(this.#folder, module), 'utf8');
      const from = module.replace('dist/', '../');
      const main = /\bas default\b/.test(whole) ? `export { default } from '${from}';\n` : '';
      const program = path.join(this.#folder, 'dist/programs', `${name}.js`);
      fs.writeFileSync(program, `${main}export * from '${from}';\n`);
    }
  }

  /**
   * kills is the test that fails with `mutated` in place of a file's `source`, undefined when all pass. Throws when the
   * source compiles to something else than the build.
   */
  async kills(file, source, mutated) {
    if (file.endsWith('.cc')) return this.#screenKills(mutated);
    const compiled = path.join(this.#folder, file.replace(/^src\//, 'dist/').replace(/ts$/, 'js'));
    const before = fs.readFileSync(compiled, 'utf8');
    if ((await this.#compile(source)) !== before) throw new Error(`${file} is not what was built`);
    const text = await this.#compile(mutated);
    for (const test of await this.#testsOf(compiled)) {
      fs.writeFileSync(compiled, text);
      const { passed } = await this.#run(test.file, test.seconds * 3 + PATIENCE);
      fs.writeFileSync(compiled, before);
      if (!passed) return test.name;
    }
    return undefined;
  }

  async #compile(text) {
    return (await transform(text, { ...COMPILATION, loader: 'ts', tsconfigRaw: this.#tsconfig }))
      .code;
  }

  remove() {
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  /** testsOf lists tests that pass without a mutation: those named like the file first, then by how long they take. */
  async #testsOf(compiled) {
    const name = path.basename(compiled, '.js');
    const tests = [];
    for (const file of this.#testFiles(compiled)) {
      const baseline = await this.#baseline(file);
      if (baseline.passed) tests.push({ file, ...baseline });
    }
    const rank = (test) => test.seconds + (path.basename(test.file).startsWith(name) ? 0 : 1_000);
    return tests.sort((a, b) => rank(a) - rank(b));
  }

  /**
   * testFiles lists the tests that can see a file: those of its folder, and those of others that import it, or import one
   * of its importers; without any of these the ten that are nearest.
   */
  #testFiles(compiled) {
    const folder = path
      .dirname(compiled)
      .replace(`${this.#folder}/dist`, `${this.#folder}/dist-test/test`);
    const tests = fs
      .readdirSync(path.join(this.#folder, 'dist-test/test'), { recursive: true })
      .filter((name) => name.endsWith('.test.js'))
      .map((name) => path.join(this.#folder, 'dist-test/test', name))
      .map((file) => ({ file, distance: this.#distance(file, compiled) }))
      .filter(({ distance }) => distance < Infinity)
      .sort((a, b) => a.distance - b.distance);
    const near = tests.filter(
      ({ file, distance }) => path.dirname(file) === folder || distance <= NEAR,
    );
    return (near.length > 0 ? near : tests.slice(0, FEW)).map(({ file }) => file);
  }

  /** distance is how many imports away a file is from a test; a program or thread it starts counts as one. */
  #distance(test, compiled) {
    const inFolder = (file) => path.relative(this.#folder, file);
    const reached = this.#graph.distances(inFolder(test), (file) => OWN.test(file));
    return reached.get(inFolder(compiled)) ?? Infinity;
  }

  async #baseline(file) {
    const name = path.relative(path.join(this.#folder, 'dist-test'), file);
    if (!this.#baselines.has(name)) {
      const running = this.#run(file, LIMIT);
      this.#baselines.set(name, running);
      if (!(await running).passed) console.log(`left out, it fails without a mutation: ${name}`);
    }
    return { name, ...(await this.#baselines.get(name)) };
  }

  /** run runs one test file up to its first failure, and ends what it left running. */
  async #run(test, limit) {
    const began = performance.now();
    const env = {
      TAP: '1',
      TAP_BAIL: '1',
      TAP_TIMEOUT: String(limit),
      TMPDIR: path.join(this.#folder, 'tmp'),
    };
    const { child, mark } = spawnMarked(this.#folder, test, [], env, 'ignore');
    child.stdout.resume();
    const kill = setTimeout(() => child.kill('SIGKILL'), (limit + 5) * 1000);
    const [status] = await once(child, 'exit');
    clearTimeout(kill);
    if (status !== 0) await endAll(child.pid, mark);
    return { passed: status === 0, seconds: (performance.now() - began) / 1000 };
  }

  /** screenKills compiles the value screen's own test with this text for the screen. */
  async #screenKills(text) {
    const folder = path.join(this.#folder, 'tmp/native');
    fs.cpSync(path.join(PROJECT, 'native'), folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'value_screen.cc'), text);
    const program = path.join(folder, 'screen');
    const sources = ['value_screen.cc', 'test/value_screen_test.cc'].map((name) =>
      path.join(folder, name),
    );
    const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    const compiler = ['c++', '-std=c++17', '-O1', ...sanitizers, '-o', program, ...sources];
    if (!(await succeeds(compiler, 300))) return 'the compiler';
    const vectors = path.join(PROJECT, 'test/vectors/screen.jsonl');
    return (await succeeds([program, vectors], 60)) ? undefined : 'native/value_screen_test';
  }
}

/** succeeds tells whether a program exits with 0 within some seconds. */
async function succeeds([program, ...args], limit) {
  const child = spawn(program, args, { stdio: 'ignore', timeout: limit * 1000 });
  const [status] = await once(child, 'exit');
  return status === 0;
}
