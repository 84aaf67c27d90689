/**
 * Every script of a directory with what is wrong with it, for the command `check`: what does not parse, what no request
 * can reach (names outside the path rule, other suffixes), what leads out of the directory. Changes nothing.
 */
import { readdir, realpath } from 'node:fs/promises';
import { ServiceError } from '../errors.js';
import { TemplateError } from '../template/template.js';
import { ABSENT, readScript, stampOf } from './script-file.js';
import { isIdentifier, scriptOfFile, type Verb } from './verb.js';

/** A script's text for one verb. */
export interface ListedScript {
  readonly folder: string;
  readonly name: string;
  readonly verb: Verb;
}

/** Something wrong with a file; `line` and `column` from 1 where there is a place. */
export interface ListedProblem {
  /** Relative to the directory. */
  readonly file: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface ScriptListing {
  readonly scripts: readonly ListedScript[];
  readonly problems: readonly ListedProblem[];
}

/** listScripts reads and compiles every file two levels down. Rejects when the directory cannot be read. */
export async function listScripts(location: string): Promise<ScriptListing> {
  const scripts: ListedScript[] = [];
  const problems: ListedProblem[] = [];
  for (const folder of await names(location)) {
    let files: string[];
    try {
      files = await names(`${location}/${folder}`);
    } catch {
      if (notAScript(folder))
        problems.push({
          file: folder,
          message: 'is in no folder: scripts are <folder>/<name>.<suffix>',
        });
      continue;
    }
    if (!isIdentifier(folder)) {
      problems.push({ file: folder, message: 'no request can name this folder' });
      continue;
    }
    for (const file of files) {
      const script = scriptOfFile(file);
      const found =
        script === undefined
          ? notAScript(file)
          : await examine(location, folder, file, script.name);
      if (found !== undefined) problems.push({ ...found, file: `${folder}/${file}` });
      else if (script !== undefined) scripts.push({ folder, ...script });
    }
  }
  return { scripts, problems };
}

/** Files that are no scripts are nobody's concern, unless they look as if they were meant to be. */
function notAScript(file: string): Omit<ListedProblem, 'file'> | undefined {
  if (!file.toLowerCase().endsWith('.sql')) return undefined;
  return { message: 'the suffix is none of .read.sql, .write.sql, .update.sql, .delete.sql' };
}

async function examine(
  location: string,
  folder: string,
  file: string,
  name: string,
): Promise<Omit<ListedProblem, 'file'> | undefined> {
  if (!isIdentifier(name)) return { message: 'no request can name this script' };
  const path = `${location}/${folder}/${file}`;
  try {
    if ((await stampOf(path)).stamp === ABSENT) return { message: 'is not a regular file' };
    const compiled = (await readScript(path, `${folder}/${name}`, location))?.compiled;
    if (!(compiled instanceof ServiceError)) return undefined;
    const message = compiled.detail ?? 'leads out of the directory of scripts';
    if (!(compiled.cause instanceof TemplateError)) return { message };
    const { line, column } = compiled.cause;
    return { message, line, column };
  } catch (error) {
    return {
      message: `cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    };
  }
}

async function names(directory: string): Promise<string[]> {
  return (await readdir(await realpath(directory))).filter((name) => !name.startsWith('.')).sort();
}
