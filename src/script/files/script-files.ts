/**
 * The files of a directory of scripts, two levels deep, one after the other: each script's text, or the problem with the
 * file: a name that is invalid in paths, another suffix or place, a link out of the directory, a file that is not text.
 */
import { readdir, realpath } from 'node:fs/promises';
import { ServiceError } from '../../base/errors.js';
import { HeadError } from '../head/head.js';
import { placeOf } from '../script-error.js';
import type { Named } from '../scripts.js';
import { ABSENT, readText, stampOf } from './script-file.js';
import { scriptOfFile, type Verb } from '../verb.js';
import { isIdentifier } from '../../base/identifier.js';

export interface ListedScript extends Named {
  readonly verb: Verb;
}

/** A problem with a file; `line` and `column` count from 1. */
export interface ListedProblem {
  /** Relative to the directory. */
  readonly file: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

interface Problem {
  readonly problem: ListedProblem;
  readonly script?: ListedScript;
}

/** A file that is a script by its name and place. */
interface NamedFile {
  readonly file: string;
  readonly script: ListedScript;
}

/** A file that is a script, or was meant to be one; `script` is missing where its name is invalid. */
export type ScriptFile = (NamedFile & { readonly text: string }) | Problem;

/** Codes for a file, or a dangling link, in place of a folder. */
const NO_FOLDER = ['ENOTDIR', 'ENOENT'];

/** scriptFiles reads the files in the order of their names. Rejects when the directory cannot be read. */
export async function* scriptFiles(location: string): AsyncGenerator<ScriptFile> {
  for await (const found of namedFiles(location))
    yield 'problem' in found ? found : await read(location, found);
}

/** misplacedFiles lists the problems that names and places of files are. Rejects when the directory cannot be read. */
export async function misplacedFiles(location: string): Promise<readonly ListedProblem[]> {
  const problems: ListedProblem[] = [];
  for await (const found of namedFiles(location))
    if ('problem' in found) problems.push(found.problem);
  return problems;
}

/** The files in the order of their names, unread. */
async function* namedFiles(location: string): AsyncGenerator<NamedFile | Problem> {
  for (const folder of await names(location)) {
    let files: string[];
    try {
      files = await names(`${location}/${folder}`);
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      if (isMeant(folder))
        yield problem(folder, 'is in no folder: scripts are <folder>/<name>.<suffix>');
      else if (!NO_FOLDER.includes(code)) yield problem(folder, `cannot be read (${code})`);
      continue;
    }
    if (!isIdentifier(folder)) {
      yield problem(folder, 'no request can name this folder');
      continue;
    }
    for (const name of files) {
      const file = `${folder}/${name}`;
      const script = scriptOfFile(name);
      if (script !== undefined && !isIdentifier(script.name))
        yield problem(file, 'no request can name this script');
      else if (script !== undefined) yield { file, script: { folder, ...script } };
      else if (isMeant(name))
        yield problem(
          file,
          'the suffix is none of .read.sql (GET), .write.sql (POST), .update.sql (PUT, PATCH), .delete.sql (DELETE)',
        );
      else if (!name.includes('.')) {
        const below = await meantBelow(`${location}/${file}`);
        if (below !== undefined)
          yield problem(`${file}/${below}`, 'is too deep: scripts are <folder>/<name>.<suffix>');
      }
    }
  }
}

/** scriptFileNames lists the files without reading them, except in unreadable folders. Rejects when the directory cannot be read. */
export async function scriptFileNames(location: string): Promise<readonly ListedScript[]> {
  const scripts: ListedScript[] = [];
  for (const folder of (await names(location)).filter(isIdentifier)) {
    const files = await names(`${location}/${folder}`).catch(() => []);
    for (const file of files) {
      const script = scriptOfFile(file);
      if (script !== undefined && isIdentifier(script.name)) scripts.push({ folder, ...script });
    }
  }
  return scripts;
}

/** problemOf gives the reason why a script's text cannot be used. */
export function problemOf(file: string, error: ServiceError): ListedProblem {
  const { cause, detail = 'leads out of the directory of scripts' } = error;
  const message = cause instanceof HeadError ? cause.message : detail; // the detail repeats the line
  return { file, message, ...placeOf(error) };
}

/** problemPlace gives `file:line:column`, as far as known. */
export function problemPlace({ file, line, column }: ListedProblem): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** The first file in a folder that was meant to be a script; undefined without one, or if it is not a folder. */
async function meantBelow(folder: string): Promise<string | undefined> {
  try {
    return (await names(folder)).find(isMeant);
  } catch {
    return undefined;
  }
}

/** Other files are ignored, unless their suffix suggests a script. */
function isMeant(file: string): boolean {
  return file.toLowerCase().endsWith('.sql');
}

async function read(location: string, { file, script }: NamedFile): Promise<ScriptFile> {
  const path = `${location}/${file}`;
  try {
    const found = await readText(path, `${script.folder}/${script.name}`, location);
    if (found === undefined) {
      const { stamp } = await stampOf(path);
      const message = stamp === ABSENT ? 'is not a regular file' : 'changed while it was read';
      return { script, ...problem(file, message) };
    }
    const { text } = found;
    return text instanceof ServiceError
      ? { script, problem: problemOf(file, text) }
      : { file, script, text };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return { script, ...problem(file, `cannot be read (${code})`) };
  }
}

function problem(file: string, message: string): Problem {
  return { problem: { file, message } };
}

async function names(directory: string): Promise<string[]> {
  return (await readdir(await realpath(directory))).filter((name) => !name.startsWith('.')).sort();
}
