/** `npm test -- --changed`: the test files that need a file which differs from the base of this branch. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { SetupError } from '../step.mjs';
import { compiledName } from './import-graph.mjs';

const BASES = ['origin/HEAD', 'origin/main', 'main', 'origin/master', 'master'];

/** A change of one of these concerns every test. */
const EVERYTHING =
  /^(native\/|CMakeLists\.txt$|package(-lock)?\.json$|tsconfig|scripts\/(bootstrap|build|build-native)\.m?js$)/;

/**
 * changedFiles lists what differs from the commit that this branch and `base` have in common, with what is not committed.
 * Throws SetupError outside a clone.
 */
export function changedFiles(project, base) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', ['-C', project, ...args], { encoding: 'utf8' });
    return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
  };
  for (const candidate of base === undefined ? BASES : [base]) {
    const [commit] = git('merge-base', 'HEAD', candidate) ?? [];
    if (commit === undefined) continue;
    const changed = git('diff', '--name-only', '--no-renames', '--relative', commit);
    return [...changed, ...git('ls-files', '--others', '--exclude-standard')];
  }
  throw new SetupError(`--changed: git knows no common commit with ${base ?? BASES.join(', ')}`);
}

/** concerned is those of the test files that need a changed file. */
export function concerned(files, changed, graph) {
  if (changed.some((file) => EVERYTHING.test(file))) return files;
  const names = new Set(changed.map(compiledName));
  for (const name of [...names]) {
    for (let at = path.dirname(name); at.includes('/'); at = path.dirname(at)) names.add(at);
  }
  // A module that names a folder may need all in it; imports name files.
  const normal = (name) => name.replace(/\/$/, '');
  return files.filter((file) =>
    [...graph.reached(compiledName(file))].some((name) => names.has(normal(name))),
  );
}
