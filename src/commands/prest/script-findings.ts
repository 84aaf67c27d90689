/**
 * Finds scripts that would behave differently here: templates that do not parse, statements that are refused, names that
 * no request can use. Findings have name, line and column, but no SQL text.
 */
import { counted, systemErrorText } from '../../base/text.js';
import { REGISTRY } from '../../stored/scripts/scripts-table.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../base/errors.js';
import { listScripts } from '../../script/files/script-listing.js';
import { checkStatements } from '../../script/statement/statement.js';
import { fileName, type Verb } from '../../script/verb.js';
import { isIdentifier } from '../../base/identifier.js';
import { compile, TemplateError } from '../../template/template.js';
import type { Draft } from './draft.js';

export interface StoredText {
  readonly database: string;
  readonly location: string;
  readonly name: string;
  readonly verb: Verb;
  readonly text: string;
}

/** Maximum size of a script, in bytes. */
const MAX_SIZE = 1 << 20;

/** folderFindings checks the scripts of a folder; `registry` tells whether the registry is enabled, which reserves a folder name. */
export async function folderFindings(
  location: string,
  registry: boolean,
  draft: Draft,
): Promise<void> {
  let listing;
  try {
    listing = await listScripts(location);
  } catch (error) {
    const code = systemErrorText(error);
    if (code !== 'ENOENT')
      draft.unsupported(location, `the folder of scripts cannot be read: ${code}`);
    return;
  }
  const { scripts, problems } = listing;
  draft.taken(location, counted(scripts.length, 'script'));
  for (const { file, line, column, message } of problems) {
    const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
    draft.unsupported(place, message);
  }
  for (const { folder, name, verb } of scripts) {
    const file = join(folder, fileName(name, verb));
    if (registry && folder === REGISTRY) draft.unsupported(file, HIDDEN);
    const refusal = refusalOf(await readFile(join(location, file), 'utf8'));
    if (refusal !== undefined) draft.unsupported(file, refusal);
  }
}

/** storedFindings checks the scripts of a table; `aliases` names all databases. */
export function storedFindings(
  texts: readonly StoredText[],
  aliases: readonly string[],
  registry: boolean,
  draft: Draft,
): void {
  for (const { database, location, name, verb, text } of texts) {
    const path = `${location}/${name}`;
    const subject = `${database === '' ? '' : `${database}/`}${path} (${verb})`;
    const unsupported = (message: string): void => draft.unsupported(subject, message);
    if (!isIdentifier(location) || !isIdentifier(name)) unsupported('no request can name it');
    else if (database !== '' && !aliases.includes(database))
      unsupported(
        `no database has the alias ${JSON.stringify(database)}; put it into [[databases]]`,
      );
    else if (registry && location === REGISTRY) unsupported(HIDDEN);
    if (Buffer.byteLength(text) > MAX_SIZE) unsupported('the text is larger than 1 MiB');
    try {
      compile(text, path);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      unsupported(`${error.line}:${error.column}: ${error.safeMessage}`);
      continue;
    }
    const refusal = refusalOf(text);
    if (refusal !== undefined) unsupported(refusal);
  }
}

const HIDDEN =
  'no request can reach it while the registry is on, for its routes begin with that name';

/** Why a statement would be refused, judged by its text without values: the branches of a condition are all in it. */
function refusalOf(text: string): string | undefined {
  const constant = text.replaceAll(/\{\{[^]*?\}\}/g, ' ').replaceAll('\0', ' ');
  try {
    checkStatements(constant);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.message}: ${error.detail!}`;
  }
}
