/** Why a request finds no script in the files, for its author: in development mode. */
import { basename } from 'node:path';
import { similar } from '../../base/nearest.js';
import { misplacedFiles, scriptFileNames } from './script-files.js';
import type { Named } from '../scripts.js';
import { fileName, verbOf } from '../verb.js';

/**
 * missingScriptHint names a file that was meant to be the script `<folder>/<name>`, a script with a similar name, or else the
 * file that would serve the request. `location` is the directory of scripts.
 */
export async function missingScriptHint(
  location: string,
  folder: string,
  name: string,
  method: string,
): Promise<string | undefined> {
  const verb = verbOf(method);
  const wanted = verb && `${folder}/${fileName(name, verb)}`;
  try {
    const meant = (await misplacedFiles(location)).find(({ file }) =>
      basename(file).startsWith(`${name}.`),
    );
    if (meant !== undefined) return `${meant.file}: ${meant.message}`;
    const scripts = await scriptFileNames(location);
    if (wanted === undefined) return undefined;
    const others = scripts.filter((one) => one.folder === folder && one.name === name);
    const near = others.length > 0 ? undefined : nearestOf(`${folder}/${name}`, scripts);
    const make = `${method} needs a file ${wanted} in ${location}`;
    return near === undefined ? make : `the nearest script is ${near}; ${make}`;
  } catch {
    return undefined; // the directory cannot be read, which is logged
  }
}

function nearestOf(path: string, scripts: readonly Named[]): string | undefined {
  return similar(path, [...new Set(scripts.map(({ folder, name }) => `${folder}/${name}`))]);
}
