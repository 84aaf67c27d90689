/** What the test runner prints and counts, and which files it runs. */
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { installedServers } from '#scripts/installed-postgres.mjs';
import { TestProject } from './test-project.js';

const PASSES = `import t from 'tap'; t.test('good', (t) => { t.ok(true); t.end(); });`;
const FAILS = `import t from 'tap'; t.test('bad', (t) => { t.equal(1, 2); t.end(); });`;
const EMPTY = `import t from 'tap'; t.test('none', (t) => t.end());`;
const SKIPS = `import t from 'tap'; t.ok(true); t.test('left', { skip: 'not here' }, (t) => t.end());`;
const DIES = `import t from 'tap'; t.test('dies', () => process.kill(process.pid, 'SIGKILL'));`;
const TELLS = `import t from 'tap'; import fs from 'node:fs';
  fs.appendFileSync('pids', process.pid + ' '); t.ok(true);`;

t.test('failures, skips and files without an assertion', async (t) => {
  const project = new TestProject(t, {
    'dist-test/test/a/passes.test.js': PASSES,
    'dist-test/test/a/fails.test.js': FAILS,
    'dist-test/test/a/empty.test.js': EMPTY,
    'dist-test/test/a/skips.test.js': SKIPS,
  });
  const { code, output } = await project.run();
  t.equal(code, 1);
  t.match(output, /^ok {4} a\/passes /m);
  t.match(output, /^FAILED a\/fails .*\n +not ok 1 - should be equal$/m);
  t.match(output, /^failed: a\/\w+, a\/\w+; what they printed is in dist-test\/failed\.log$/m);
  t.match(project.read('dist-test/failed.log'), /^FAILED a\/fails\n +not ok 1 - should be equal$/m);
  t.match(output, /^FAILED a\/empty .*\nit has no assertion$/m);
  t.match(output, /^skipped: a\/skips: left \(not here\)$/m);
  t.match(output, /^4 files run, 0 left out, 1 tests skipped\n2 passed, 2 failed\n$/m);
});

t.test('what fills standard output belongs to its file', async (t) => {
  const project = new TestProject(t, {
    'dist-test/test/a/first.test.js': `import t from 'tap';
      t.test('large', (t) => { t.equal('x\\n'.repeat(1000), 'y\\n'.repeat(1000)); t.end(); });`,
    'dist-test/test/a/second.test.js': `import t from 'tap';
      for (let i = 0; i < 1000; i++) t.ok(true, 'n'.repeat(100));`,
    'dist-test/test/a/third.test.js': PASSES,
  });
  const { output } = await project.run();
  t.match(output, /^FAILED a\/first .*\n +not ok 1 - should be equal$/m);
  t.match(output, /^ok {4} a\/second .*\nok {4} a\/third .*\nfailed: a\/first; .*\n3 files run/m);
  t.match(output, /^1001 passed, 1 failed\n$/m);
});

t.test('long files are named, and run when they are wanted', async (t) => {
  const project = new TestProject(t, {
    'dist-test/test/a/short.test.js': PASSES,
    'dist-test/test/a/slow.long.test.js': PASSES,
  });
  const short = await project.run();
  t.match(short.output, /^left out \(npm run test:full\): a\/slow\.long$/m);
  t.match(short.output, /^1 files run, 1 left out, .*\n1 passed, 0 failed\n$/m);
  const outputs = new Map<string, string>();
  for (const args of ['--full test/', '--rest test/', 'a/slow']) {
    outputs.set(args, (await project.run(args.split(' '))).output);
  }
  t.match(outputs.get('--full test/'), /^2 files run, 0 left out, /m);
  for (const args of ['--rest test/', 'a/slow']) {
    t.match(outputs.get(args), /^ok {4} a\/slow\.long /m);
    t.match(outputs.get(args), /^1 files run, 0 left out, /m);
  }
});

/** Writes on which server it runs; it needs one by what it names. */
const SERVER = `import t from 'tap'; import fs from 'node:fs'; '../../../scripts/embedded-postgres.mjs';
  fs.appendFileSync('servers', (process.env.TEST_POSTGRES_BIN ?? 'embedded') + ' '); t.ok(true);`;
const SERVER_FILES = {
  'scripts/embedded-postgres.mjs': '',
  'scripts/test-native.js': '',
  'dist-test/test/mcp/short.test.js': SERVER,
  'dist-test/test/mcp/slow.long.test.js': SERVER,
  'dist-test/test/mcp/without.test.js': PASSES,
  'dist-test/test/proof/prover/slow.long.test.js': SERVER.replace('../', '../../'),
  'dist-test/test/postgres/short.test.js': SERVER,
};

t.test('--postgres runs the listed files that need a server, or those named', async (t) => {
  const project = new TestProject(t, { ...SERVER_FILES, 'bin/initdb': '', 'bin/postgres': '' });
  const bin = `${project.folder}/bin`;
  const listed = await project.run(['--postgres', bin]);
  t.equal(listed.code, 0);
  t.match(listed.output, `mcp/short on PostgreSQL ${bin} (`);
  t.match(listed.output, `proof/prover/slow.long on PostgreSQL ${bin} (`);
  t.match(listed.output, /^2 files run, /m);
  t.equal(project.read('servers'), `${bin} ${bin} `);
  t.match(
    (await project.run(['--postgres', bin, 'postgres/', 'without'])).output,
    /^2 files run, /m,
  );
  t.match(await project.run(['--postgres', `${project.folder}/dist-test`]), { code: 1 });
});

t.test('a full run has them on each server of packages, or says that there is none', async (t) => {
  const project = new TestProject(t, SERVER_FILES);
  const { output } = await project.run(['--full']);
  const servers = installedServers();
  t.match(output, `${5 + 2 * servers.length} files run, 0 left out, `);
  for (const { version } of servers)
    t.match(output, new RegExp(`^ok {4} mcp/short on PostgreSQL ${version} \\(`, 'm'));
  const bins = project.read('servers').trim().split(' ').sort();
  const expected = ['embedded', 'embedded', 'embedded', 'embedded'];
  t.strictSame(bins, [...servers.flatMap(({ bin }) => [bin, bin]), ...expected].sort());
  if (servers.length === 0) t.match(output, /^skipped: 2 files on PostgreSQL from packages: /m);
});

t.test('files of a folder share a process, those that change it have their own', async (t) => {
  const project = new TestProject(t, {
    'dist-test/test/a/one.test.js': TELLS,
    'dist-test/test/a/two.test.js': TELLS,
    'dist-test/test/a/three.test.js': `${TELLS} process.env.X = 'changed';`,
    'dist-test/test/a/four.test.js': `import './changes.js'; ${TELLS}`,
    'dist-test/test/a/changes.js': `process.env.X = 'changed';`,
    'dist-test/test/b/five.test.js': `${TELLS} '../a/changes.js';`,
  });
  t.equal((await project.run()).code, 0);
  const pids = project.read('pids').trim().split(' ');
  t.equal(pids.length, 5);
  t.equal(new Set(pids).size, 4);
});

t.test('a file that ends its process fails alone', async (t) => {
  const project = new TestProject(t, {
    'dist-test/test/a/1.test.js': PASSES,
    'dist-test/test/a/2.test.js': DIES,
    'dist-test/test/a/3.test.js': PASSES,
  });
  const { output } = await project.run();
  t.match(output, /^FAILED a\/2 .*\nit ended with SIGKILL$/m);
  for (const name of [1, 3]) t.match(output, new RegExp(`^ok {4} a/${name} `, 'm'));
  t.match(output, /^2 passed, 1 failed\n$/m);
});

t.test('an error that no test waits for fails its file alone', async (t) => {
  const throws = (how: string): string => `import t from 'tap';
    t.test('waits', () => { ${how}; return new Promise(() => {}); });`;
  const project = new TestProject(t, {
    'dist-test/test/a/1.test.js': PASSES,
    'dist-test/test/a/2.test.js': throws(`setTimeout(() => { throw new Error('late'); })`),
    'dist-test/test/a/3.test.js': throws(`void Promise.reject(new Error('unseen'))`),
    'dist-test/test/a/4.test.js': PASSES,
  });
  const { output } = await project.run();
  t.match(output, /^FAILED a\/2 .*\n *not ok .*late/m);
  t.match(output, /^FAILED a\/3 .*\n *not ok .*unseen/m);
  for (const name of [1, 4]) t.match(output, new RegExp(`^ok {4} a/${name} `, 'm'));
});

t.test('--changed runs what needs a changed file', async (t) => {
  const project = new TestProject(t, {
    'src/used.ts': 'export {};',
    'dist/used.js': 'export const used = 1;',
    'docs/page.md': 'text',
    'dist-test/test/helper.js': `import '../../dist/used.js';`,
    'dist-test/test/imports.test.js': `import './helper.js'; ${PASSES}`,
    'dist-test/test/reads.test.js': `'docs/page.md'; ${PASSES}`,
    'dist-test/test/neither.test.js': PASSES,
  });
  const git = (...args: string[]): void => {
    const user = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-C', project.folder];
    t.equal(spawnSync('git', [...user, ...args]).status, 0, args.join(' '));
  };
  project.write('.gitignore', 'dist\ndist-test\nnode_modules\n');
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'x');
  const ran = async (): Promise<string[]> => {
    const { output } = await project.run(['--changed']);
    return [...output.matchAll(/^ok {4} (\S+)/gm)].map(([, name]) => name!).sort();
  };
  t.strictSame(await ran(), []);
  project.write('src/used.ts', 'export const used = 1;');
  t.strictSame(await ran(), ['imports']);
  git('checkout', '-q', '-b', 'branch');
  git('commit', '-qam', 'y');
  project.write('docs/page.md', 'other');
  t.strictSame(await ran(), ['imports', 'reads']);
});
