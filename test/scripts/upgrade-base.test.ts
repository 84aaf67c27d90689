/** The commit from which CI tests an upgrade, in repositories with and without releases. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

// Seen from dist-test/test/scripts.
const PROGRAM = fileURLToPath(new URL('../../../.ci/upgrade-base', import.meta.url));
const USER = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];

interface Commit {
  readonly version: string;
  readonly tag?: string;
}

const cases: readonly [name: string, commits: readonly Commit[], base: number | undefined][] = [
  ['a single commit', [{ version: '1.0.0', tag: 'v1.0.0' }], undefined],
  ['one version', [{ version: '1.0.0' }, { version: '1.0.0' }, { version: '1.0.0' }], 1],
  ['another version', [{ version: '1.0.0' }, { version: '1.0.0' }, { version: '1.1.0' }, { version: '1.1.0' }], 1], // prettier-ignore
  ['a release', [{ version: '1.0.0', tag: 'v1.0.0' }, { version: '1.0.0' }, { version: '1.0.0' }], 0], // prettier-ignore
  ['this is a release', [{ version: '1.0.0', tag: 'v1.0.0' }, { version: '1.1.0' }, { version: '1.1.0', tag: 'v1.1.0' }], 0], // prettier-ignore
];

for (const [name, commits, base] of cases)
  t.test(name, (t) => {
    const folder = t.testdir({});
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, ...USER, ...args], { encoding: 'utf8' }).trim();
    git('init', '-q');
    const ids = commits.map(({ version, tag }, i) => {
      const text = JSON.stringify({ name: 'a', version, main: `${i}.js` }, undefined, 2);
      writeFileSync(path.join(folder, 'package.json'), text);
      git('add', '.');
      git('commit', '-qm', `commit ${i}`);
      if (tag !== undefined) git('tag', tag);
      return git('rev-parse', 'HEAD');
    });
    const found = spawnSync(PROGRAM, [folder], { encoding: 'utf8' });
    t.equal(found.stderr, '');
    t.equal(found.status, base === undefined ? 1 : 0);
    t.equal(found.stdout.trim(), base === undefined ? '' : ids[base]);
    t.end();
  });
