/**
 * Builds another revision of the project for comparison, in a git worktree under .bench/, which is reused, or in a given
 * folder. Throws when the revision does not exist, is too old to be built or run, or does not build.
 */
import { existsSync, lstatSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { output } from './load/program.js';
import { fromProject, keptFolder } from './project.js';

/** The module that sets up and builds a revision. */
const BOOTSTRAP = 'scripts/bootstrap.mjs';

/** buildBase builds a revision, or a folder when `reference` begins with a dot or a slash, and resolves to its folder. */
export async function buildBase(reference: string): Promise<string> {
  const folder = /^[./]/.test(reference) ? path.resolve(reference) : await worktree(reference);
  if (!existsSync(path.join(folder, BOOTSTRAP))) {
    throw new Error(`${reference} cannot be built: it has no ${BOOTSTRAP}`);
  }
  shareNodeModules(fromProject('.'), folder);
  const bootstrap = pathToFileURL(path.join(folder, BOOTSTRAP)).href;
  const program = `const { bootstrap } = await import(${JSON.stringify(bootstrap)}); await bootstrap();`;
  await output(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  if (!existsSync(path.join(folder, 'dist/main.js'))) {
    throw new Error(`${reference} is too old: it has no dist/main.js to run`);
  }
  return folder;
}

/** runsPlugins tells whether the revision in a folder supports plugins. */
export function runsPlugins(folder: string): boolean {
  return existsSync(path.join(folder, 'native/include/service_plugin.h'));
}

/** runsTools tells whether the revision in a folder has the MCP endpoint. */
export function runsTools(folder: string): boolean {
  return existsSync(path.join(folder, 'src/mcp/protocol/endpoint.ts'));
}

/** readsBodies tells whether scripts of the revision in a folder can use request bodies. */
export function readsBodies(folder: string): boolean {
  return existsSync(path.join(folder, 'src/script/body/request-body.ts'));
}

/** runsSeveral tells whether scripts of the revision in a folder may have several statements. */
export function runsSeveral(folder: string): boolean {
  return existsSync(path.join(folder, 'src/script/statement/statement-split.ts'));
}

/** worktree checks out a revision, unless its worktree exists. */
async function worktree(reference: string): Promise<string> {
  const git = async (...args: string[]): Promise<string> =>
    (await output('git', args, { cwd: fromProject('.') })).trim();
  const commit = await git('rev-parse', '--verify', `${reference}^{commit}`);
  const folder = path.join(keptFolder('base'), commit.slice(0, 12));
  if (!existsSync(path.join(folder, 'package.json'))) {
    await git('worktree', 'prune');
    await git('worktree', 'add', '--detach', '--force', folder, commit);
  }
  return folder;
}

/**
 * shareNodeModules links the node_modules of a project into another one with the same lockfile. An existing link is removed
 * first: an installation of other packages through it would change the packages of the first project.
 */
export function shareNodeModules(from: string, to: string): void {
  const link = path.join(to, 'node_modules');
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(link);
  const [ours, theirs] = [from, to].map((project) =>
    readFileSync(path.join(project, 'package-lock.json'), 'utf8'),
  );
  if (ours === theirs && !existsSync(link)) symlinkSync(path.join(from, 'node_modules'), link);
}
