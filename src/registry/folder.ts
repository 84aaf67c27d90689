/**
 * A folder of scripts as it is compared with the table: the texts of each script together. A text that does not parse is
 * told of and taken, as it can be mended in the table; what a file cannot be a script for is told of and left out, and so
 * is an empty text, which is none in the table. A script is left out whole when one of its files cannot be taken: it is
 * not known what it says.
 */
import { ServiceError } from '../errors.js';
import { scriptFiles, type ListedProblem, type ListedScript } from '../script/script-files.js';
import { compileText } from '../script/script-text.js';
import { fileName, VERBS, type Verb } from '../script/verb.js';

/** The texts of a script, by verb. */
export interface FolderScript {
  readonly location: string;
  readonly name: string;
  readonly texts: Readonly<Partial<Record<Verb, string>>>;
}

/** A text that does not parse. */
export interface UnparsedText {
  /** Relative to the folder. */
  readonly file: string;
  /** `<folder>/<name>`. */
  readonly script: string;
  readonly verb: Verb;
  readonly error: ServiceError;
}

/** What a folder holds. */
export interface FolderContent {
  /** By location and name. */
  readonly scripts: readonly FolderScript[];
  /** Files that are left out. */
  readonly leftOut: readonly ListedProblem[];
  readonly unparsed: readonly UnparsedText[];
}

/** Most characters of all texts together: they are held in memory, and written in one statement. */
const MOST = 128 << 20;

const WHOLE = 'another file of the script is left out';

/** FolderTooLarge is a folder with more text than is taken at once. */
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
    const compiled = compileText(text, path);
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
