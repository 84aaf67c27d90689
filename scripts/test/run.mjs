/** One run of the tests of a project that is built: the choice of files, their order, and what is printed. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { parseArgs } from 'node:util';
import { start as startPostgres } from '../embedded-postgres.mjs';
import { installedServers, serversNamed } from '../installed-postgres.mjs';
import { SetupError } from '../step.mjs';
import { isOffered } from '../system-packages.mjs';
import { changedFiles, concerned } from './changed.mjs';
import { placeCurrentTest } from './current-test.mjs';
import { Durations } from './durations.mjs';
import { choose, grouped, shortName, testFiles } from './files.mjs';
import { onInstalledServers } from './installed-servers.mjs';
import { compiledName, ImportGraph } from './import-graph.mjs';
import { endOnSignals, spawnMarked } from './process-tree.mjs';
import { runFiles } from './run-files.mjs';

/** Processes of test files that run at one time, each with a PostgreSQL server that its files share: many files wait. */
const PLACES = 6;

/** What uses that server. */
const POSTGRES = 'dist-test/test/support/postgres.js';

/** What failed files printed in the last run. */
const FAILURES = 'dist-test/failed.log';

const OPTIONS = {
  full: { type: 'boolean', default: false },
  rest: { type: 'boolean', default: false },
  changed: { type: 'boolean', default: false },
  base: { type: 'string' },
  postgres: { type: 'string' },
  limit: { type: 'string', default: '300' },
};

export class TestRun {
  /** The files that run. */
  files;
  #project;
  #graph;
  #durations;
  /** Which files run on which server: `{ files, bin, on }`, where `bin` has its programs and `on` follows names of files. */
  #suites;
  /** The files that are left out because they are long. */
  #left = [];
  #native;
  #mode;
  #limit;
  #passed = 0;
  #failed = 0;
  #skipped = [];
  /** The files that failed, and what they printed. */
  #failures = new Map();

  /**
   * `args` are those of the command: parts of paths; `full`, or `rest` for what a short run leaves out; `changed`, with the
   * `base` of the comparison; the servers, `postgres`; and the `limit` of a file in seconds. Throws SetupError when no file
   * matches.
   */
  constructor(project, args) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    this.#project = project;
    this.#graph = new ImportGraph(project);
    this.#durations = new Durations(project);
    this.#limit = Number(values.limit);
    this.#mode = values.rest ? 'rest' : values.full ? 'full' : 'short';
    const all = positionals.length === 0 && !values.changed;
    this.#native = all && values.postgres === undefined;
    let files = testFiles(project);
    if (values.changed) files = concerned(files, changedFiles(project, values.base), this.#graph);
    const chosen = () => ([files, this.#left] = choose(files, positionals, this.#mode))[0];
    if (values.postgres !== undefined) {
      const servers = serversNamed(values.postgres);
      this.#suites = suitesOn(servers, all ? onInstalledServers(files, this.#graph) : chosen());
    } else {
      this.#suites = [{ files: chosen(), on: '' }];
      if (all && this.#mode !== 'short') this.#addInstalledServers();
    }
    this.files = [...new Set(this.#suites.flatMap((suite) => suite.files))];
    if (this.files.length === 0 && !values.changed) {
      throw new SetupError(`no test file matches: ${positionals.join(' ')}`);
    }
  }

  /** A full run has suites on the servers of packages too. Without one that could be installed, CI fails. */
  #addInstalledServers() {
    const files = onInstalledServers(testFiles(this.#project), this.#graph);
    if (files.length === 0) return;
    const servers = installedServers();
    this.#suites.push(...suitesOn(servers, files));
    if (servers.length > 0) return;
    const offered = isOffered('postgresql');
    const how = offered ? 'install the package postgresql' : 'no package postgresql is offered';
    const error = offered && Boolean(process.env.CI);
    this.#skipped.push(
      `${files.length} files on PostgreSQL from packages: ${how}${error ? '. In CI this is an error' : ''}`,
    );
    if (error) this.#failed += 1;
  }

  /** finish runs the tests, prints what came of them, and resolves to whether all passed. */
  async finish() {
    endOnSignals();
    placeCurrentTest(this.#project);
    // The long tests write more than may fit.
    if (this.#mode === 'short') process.env.TEST_POSTGRES_IN_MEMORY = 'yes';
    const waiting = this.#groups();
    const others = this.#native ? [() => this.#runNative()] : [];
    const place = async () => {
      const servers = new Map();
      await others.shift()?.();
      for (let group = waiting.shift(); group; group = waiting.shift()) {
        const { files, suite } = group;
        const { bin } = suite;
        if (suite.server && !servers.has(bin)) servers.set(bin, await startPostgres({ bin }));
        await this.#runGroup(files, suite, {
          ...(suite.server ? { TEST_POSTGRES: servers.get(bin).url } : {}),
          ...(bin ? { TEST_POSTGRES_BIN: bin } : {}),
        });
      }
    };
    const length = Math.min(PLACES, waiting.length + others.length);
    await Promise.all(Array.from({ length }, place));
    this.#durations.save();
    this.#keepFailures();
    this.#printTotal();
    return this.#failed === 0;
  }

  /** The files of all suites, each group for one process, the longest first. */
  #groups() {
    const shares = (file) => this.#graph.reached(compiledName(file)).has(POSTGRES);
    const groups = [];
    for (const suite of this.#suites) {
      suite.server = suite.files.some(shares);
      const seconds = (file) => this.#durations.of(file, suite.on);
      for (const files of grouped(suite.files, this.#graph, this.#project, seconds)) {
        groups.push({ files, suite, seconds: files.reduce((sum, file) => sum + seconds(file), 0) });
      }
    }
    return groups.sort((a, b) => b.seconds - a.seconds);
  }

  /** Runs the files of one process; those that a failure kept from running run on their own after it. */
  async #runGroup(files, suite, env) {
    const begun = new Set();
    let began = performance.now();
    const ended = (name, outcome) => {
      const seconds = (performance.now() - began) / 1000;
      began = performance.now();
      begun.add(name);
      this.#durations.record(`test/${name}.test.ts`, suite.on, seconds);
      this.#add(`${name}${suite.on}`, outcome, seconds);
    };
    await runFiles(this.#project, files, { env, limit: this.#limit, ended });
    for (const file of files)
      if (!begun.has(shortName(file))) await this.#runGroup([file], suite, env);
  }

  #add(name, { passed, failed, skipped, diagnosis }, seconds) {
    console.log(`${failed === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
    for (const line of diagnosis) console.log(line);
    if (failed > 0) this.#failures.set(name, diagnosis);
    this.#passed += passed;
    this.#failed += failed;
    this.#skipped.push(...skipped.map((what) => `${name}: ${what}`));
  }

  /** Runs the C++ tests, which print how many vectors they tried. */
  async #runNative() {
    const args = this.#mode === 'full' ? [] : [`--${this.#mode}`];
    const { child } = spawnMarked(this.#project, 'scripts/test-native.js', args);
    const closed = once(child, 'close');
    let failed = 0;
    for await (const line of readline.createInterface({ input: child.stdout })) {
      console.log(line);
      const counts = /: (\d+) vectors, (\d+) failures$/.exec(line);
      if (counts) this.#passed += Number(counts[1]) - Number(counts[2]);
      if (counts) failed += Number(counts[2]);
      if (/^native tests: no /.test(line)) this.#skipped.push(line);
    }
    const [code] = await closed;
    this.#failed += code !== 0 && failed === 0 ? 1 : failed;
  }

  /** Keeps what failed files printed until the next run that fails. */
  #keepFailures() {
    if (this.#failures.size === 0) return;
    const texts = [...this.#failures].map(([name, lines]) => [`FAILED ${name}`, ...lines, '']);
    fs.writeFileSync(path.join(this.#project, FAILURES), texts.flat().join('\n'));
    console.log(
      `failed: ${[...this.#failures.keys()].join(', ')}; what they printed is in ${FAILURES}`,
    );
  }

  #printTotal() {
    const [left, skipped] = [this.#left, this.#skipped];
    if (left.length > 0) {
      console.log(`left out (npm run test:full): ${left.map(shortName).join(', ')}`);
    }
    for (const what of skipped) console.log(`skipped: ${what}`);
    const run = this.#suites.reduce((sum, { files }) => sum + files.length, 0);
    console.log(`${run} files run, ${left.length} left out, ${skipped.length} tests skipped`);
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
  }
}

function suitesOn(servers, files) {
  return servers.map(({ version, bin }) => ({
    files,
    bin,
    on: ` on PostgreSQL ${version ?? bin}`,
  }));
}
