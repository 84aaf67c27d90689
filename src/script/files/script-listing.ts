/**
 * Every script of a directory and every problem, for the command `check`: texts that do not parse or are empty, and files
 * that cannot be scripts.
 */
import { ServiceError } from '../../base/errors.js';
import { problemOf, scriptFiles, type ListedProblem, type ListedScript } from './script-files.js';
import { compileText, type ScriptText } from '../script-text.js';
import type { RoutedScript } from '../scripts.js';
import { textWarnings } from '../warnings/text-warnings.js';

export type { ListedProblem, ListedScript };

export interface ScriptListing {
  readonly scripts: readonly ListedScript[];
  readonly problems: readonly ListedProblem[];
  /** About usable scripts. */
  readonly warnings: readonly ListedProblem[];
  /** Those with paths of their own. */
  readonly routed: readonly RoutedScript[];
}

/** The text of a usable script. */
export interface ListedText extends ListedScript {
  /** Of a stored script for one database; undefined for all. */
  readonly alias: string | undefined;
  /** The file below the directory of scripts, or `[alias/]folder/name (verb)` of a stored text. */
  readonly file: string;
  readonly text: ScriptText;
}

/**
 * listScripts reads and compiles every file; `onText` takes the usable texts, which need much memory. Rejects when the
 * directory cannot be read.
 */
export async function listScripts(
  location: string,
  onText?: (text: ListedText) => void,
): Promise<ScriptListing> {
  const scripts: ListedScript[] = [];
  const problems: ListedProblem[] = [];
  const warnings: ListedProblem[] = [];
  const routed: RoutedScript[] = [];
  for await (const found of scriptFiles(location)) {
    if ('problem' in found) {
      problems.push(found.problem);
      continue;
    }
    const { file, script, text } = found;
    if (text.trim() === '') {
      problems.push({ file, message: 'is empty: requests for it are 400' });
      continue;
    }
    const compiled = compileText(text, `${script.folder}/${script.name}`, script.verb);
    if (compiled instanceof ServiceError) problems.push(problemOf(file, compiled));
    else {
      scripts.push(script);
      onText?.({ ...script, alias: undefined, file, text: compiled });
      const { routes } = compiled.head;
      if (routes.length > 0) routed.push({ alias: undefined, ...script, routes });
      for (const warning of textWarnings(compiled)) warnings.push({ file, ...warning });
    }
  }
  return { scripts, problems, warnings, routed };
}
