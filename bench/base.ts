/**
 * Builds another revision of the project in a git worktree under .bench/, for comparisons. A worktree that is there
 * already is used again. Throws when the revision does not exist or does not build.
 */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { output } from './load/program.js';
import { fromProject, keptFolder } from './project.js';

/** buildBase gives the folder of the revision `reference`, built. */
export async function buildBase(reference: string): Promise<string> {
  const git = async (...args: string[]): Promise<string> =>
    (await output('git', args, { cwd: fromProject('.') })).trim();
  const commit = await git('rev-parse', '--verify', `${reference}^{commit}`);
  const folder = path.join(keptFolder('base'), commit.slice(0, 12));
  if (!existsSync(path.join(folder, 'package.json'))) {
    await git('worktree', 'prune');
    await git('worktree', 'add', '--detach', '--force', folder, commit);
  }
  // The same packages need not be installed twice.
  if (!existsSync(path.join(folder, 'node_modules')) && sameLockfile(folder)) {
    symlinkSync(fromProject('node_modules'), path.join(folder, 'node_modules'));
  }
  const bootstrap = pathToFileURL(path.join(folder, 'scripts/bootstrap.mjs')).href;
  const program = `const { bootstrap } = await import(${JSON.stringify(bootstrap)}); await bootstrap();`;
  await output(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  return folder;
}

function sameLockfile(folder: string): boolean {
  const [ours, theirs] = [fromProject('.'), folder].map((place) =>
    readFileSync(path.join(place, 'package-lock.json'), 'utf8'),
  );
  return ours === theirs;
}
