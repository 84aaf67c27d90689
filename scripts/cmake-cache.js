/**
 * CMake's build folders in a checkout that was copied or moved: their files contain the paths of the original checkout, which
 * CMake would build, or report as an error.
 */
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** dropForeignCache removes the configuration of a build folder, unless it was generated there for these sources. */
export function dropForeignCache(folder, sources) {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const text = readFileSync(cache, 'utf8');
  const isOwn = (entry, expected) => {
    const path = new RegExp(`^${entry}:INTERNAL=(.*)$`, 'm').exec(text)?.[1];
    return path && existsSync(path) && realpathSync(path) === realpathSync(expected);
  };
  if (isOwn('CMAKE_HOME_DIRECTORY', sources) && isOwn('CMAKE_CACHEFILE_DIR', folder)) return;
  for (const name of ['CMakeCache.txt', 'CMakeFiles'])
    rmSync(join(folder, name), { recursive: true, force: true });
}
