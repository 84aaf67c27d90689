/** The scripts of the corpus: `queries` is a folder as `queries.location` names it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '#app/base/errors.js';
import { compileText, type ScriptText } from '#app/script/script-text.js';
import { scriptOfFile } from '#app/script/verb.js';

const CORPUS = join(process.cwd(), 'test', 'proof', 'corpus');

export const QUERIES = join(CORPUS, 'queries');

/** The SQL that makes the database of the corpus. */
export const SCHEMA = readFileSync(join(CORPUS, 'schema.sql'), 'utf8');

export interface CorpusScript {
  /** `<folder>/<name>.<verb>` */
  readonly key: string;
  /** `<folder>/<name>` */
  readonly path: string;
  readonly text: ScriptText;
}

/** corpusScripts compiles all scripts, in the order of their keys. */
export function corpusScripts(): readonly CorpusScript[] {
  const files = readdirSync(QUERIES, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const found = scriptOfFile(file);
      if (found === undefined) throw new Error(`${file} is not named as a script`);
      const text = compileText(readFileSync(join(QUERIES, file), 'utf8'), found.name, found.verb);
      if (text instanceof ServiceError) throw new Error(`${file}: ${text.detail ?? text.message}`);
      return { key: file.slice(0, -'.sql'.length), path: found.name, text };
    });
}
