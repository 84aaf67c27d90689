/**
 * A folder of scripts in the form of the table: one record with all texts of a script. Texts that do not parse are reported
 * and included, as they can be corrected in the table. Files that cannot be scripts, and empty ones, which the table
 * cannot express, are reported and skipped. When a file of a script cannot be read, the whole script is skipped.
 */
import { ServiceError } from '../../base/errors.js';
import {
  scriptFiles,
  type ListedProblem,
  type ListedScript,
} from '../../script/files/script-files.js';
import { compileText } from '../../script/script-text.js';
import { fileName, VERBS, type Verb } from '../../script/verb.js';

export interface FolderScript {
  readonly location: string;
  readonly name: string;
  readonly texts: Readonly<Partial<Record<Verb, string>>>;
}

export interface UnparsedText {
  /** Relative to the folder. */
  readonly file: string;
  /** `<folder>/<name>`. */
  readonly script: string;
  readonly verb: Verb;
  readonly error: ServiceError;
}

export interface FolderContent {
  /** By location and name. */
  readonly scripts: readonly FolderScript[];
  /** Files that are skipped. */
  readonly leftOut: readonly ListedProblem[];
  readonly unparsed: readonly UnparsedText[];
}

/** Most characters of all texts together: they are in memory at once, and written in one statement. */
const MOST = 128 << 20;

const WHOLE = 'another file of the script is left out';

/** FolderTooLarge: a folder has more text than can be imported at once. */
export class FolderTooLarge extends Error {
  override readonly name = 'FolderTooLarge';
}

/** readFolder reads all scripts of a folder. Rejects when it cannot be read, and with FolderTooLarge. */
export async function readFolder(folder: string): Promise<FolderContent> {
  const scripts = new Map<string, FolderScript & { texts: Partial<Record<Verb, string>> }>();
  const leftOut: ListedProblem[] = [];
  const unparsed: UnparsedText[] = [];
  const unknown = new Set<string>();
  let size = 0;
  for await (const found of scriptFiles(folder)) {
    if ('problem' in found) {
      leftOut.push(found.problem);
      if (found.script !== undefined) unknown.add(pathOf(found.script));
      continue;
    }
    const { file, text, script } = found;
    const { folder: location, name, verb } = script;
    if (text === '') {
      leftOut.push({ file, message: 'is empty' });
      continue;
    }
    size += text.length;
    if (size > MOST)
      throw new FolderTooLarge(`the scripts of ${folder} are larger than ${MOST >> 20} MiB`);
    const path = pathOf(script);
    const compiled = compileText(text, path, verb);
    if (compiled instanceof ServiceError)
      unparsed.push({ file, script: path, verb, error: compiled });
    const known = scripts.get(path) ?? { location, name, texts: {} };
    known.texts[verb] = text;
    scripts.set(path, known);
  }
  for (const path of unknown) {
    const script = scripts.get(path);
    if (script === undefined) continue;
    scripts.delete(path);
    for (const verb of VERBS)
      if (script.texts[verb] !== undefined)
        leftOut.push({ file: `${script.location}/${fileName(script.name, verb)}`, message: WHOLE });
  }
  const isTaken = ({ script }: UnparsedText): boolean => scripts.has(script);
  return { scripts: [...scripts.values()], leftOut, unparsed: unparsed.filter(isTaken) };
}

function pathOf({ folder, name }: ListedScript): string {
  return `${folder}/${name}`;
}
