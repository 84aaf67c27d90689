/**
 * Every script of a directory with what is wrong with it, for the command `check`: what does not parse, and what keeps a
 * file from being a script. Changes nothing.
 */
import { ServiceError } from '../errors.js';
import { problemOf, scriptFiles, type ListedProblem, type ListedScript } from './script-files.js';
import { compileText } from './script-text.js';

export type { ListedProblem, ListedScript };

export interface ScriptListing {
  readonly scripts: readonly ListedScript[];
  readonly problems: readonly ListedProblem[];
}

/** listScripts reads and compiles every file two levels down. Rejects when the directory cannot be read. */
export async function listScripts(location: string): Promise<ScriptListing> {
  const scripts: ListedScript[] = [];
  const problems: ListedProblem[] = [];
  for await (const found of scriptFiles(location)) {
    if ('problem' in found) {
      problems.push(found.problem);
      continue;
    }
    const { file, script, text } = found;
    const compiled = compileText(text, `${script.folder}/${script.name}`);
    if (compiled instanceof ServiceError) problems.push(problemOf(file, compiled));
    else scripts.push(script);
  }
  return { scripts, problems };
}
