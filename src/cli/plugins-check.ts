/**
 * The plugin libraries of a configuration, for `check`: each one is loaded in a process of its own. What the service
 * would not serve is a problem, also a file that leads out of the folder.
 */
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/schema.js';
import { liesIn } from '../supervisor/plugin-libraries.js';
import { examineLibrary } from './plugin-check.js';
import { printed } from './printed.js';
import type { PluginFindings } from './report.js';

/** examinePlugins examines every library of the folder. */
export async function examinePlugins(config: Config): Promise<PluginFindings> {
  const location = config.pluginpath;
  const problems: { file: string; message: string }[] = [];
  let count = 0;
  for (const file of librariesIn(location, problems)) {
    const message = leadingOut(location, file);
    if (message !== undefined) {
      problems.push({ file, message });
      continue;
    }
    // One after the other: a library may do anything while it is loaded.
    const found = await examineLibrary(join(location, file), config['plugins.environment']);
    if (found.ok) count++;
    for (const problem of found.problems)
      problems.push({ file: printed(file), message: printed(problem) });
  }
  return { location, count, problems };
}

function librariesIn(location: string, problems: { file: string; message: string }[]): string[] {
  try {
    return readdirSync(location)
      .filter((file) => file.endsWith('.so'))
      .sort();
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    // Who has no plugins needs no folder for them.
    if (code !== 'ENOENT') problems.push({ file: location, message: `cannot be read: ${code}` });
    return [];
  }
}

function leadingOut(location: string, file: string): string | undefined {
  try {
    const inside = liesIn(realpathSync(location), realpathSync(join(location, file)));
    return inside ? undefined : 'leads out of the folder';
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
  }
}
