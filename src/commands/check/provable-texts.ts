/**
 * The texts that `check` proves, read one after the other: the stored scripts, and the files that are served or that the
 * next start imports.
 */
import { createHash } from 'node:crypto';
import type { Config } from '../config/schema.js';
import { scriptsTableOf } from '../config/settings.js';
import { ServiceError } from '../../base/errors.js';
import { isIdentifier } from '../../base/identifier.js';
import type { Database } from '../../postgres/lanes/database.js';
import { meantAliases } from '../../proof/prover/meant-aliases.js';
import { Records } from '../../stored/registry/records.js';
import { scriptFiles } from '../../script/files/script-files.js';
import { compileText, type ScriptText } from '../../script/script-text.js';
import { VERBS, type Verb } from '../../script/verb.js';
import type { ScriptSelection } from './script-selection.js';

/** A text to prove. */
export interface ProvableText {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly text: ScriptText;
  /** The alias of the database that a stored text is for; undefined for all. */
  readonly alias: string | undefined;
  /** The file below the directory of scripts, or `[alias/]folder/name (verb)`. */
  readonly file: string;
  /** The databases that it may be for; requests without an alias are for the first one. */
  readonly aliases: readonly string[];
}

/** Records that are read at a time. */
const PAGE = 100;

export class ProvableTexts {
  readonly #config: Config;
  readonly #aliases: readonly string[];
  readonly #keys: ReadonlySet<string>;
  readonly #selection: ScriptSelection | undefined;
  /** Of stored texts for all databases, with their hashes. */
  readonly #texts = new Set<string>();

  /** `aliases` names all databases, the default one first; `keys` are `alias/folder/name` of each stored script. */
  constructor(
    config: Config,
    aliases: readonly string[],
    keys: ReadonlySet<string> = new Set(),
    selection?: ScriptSelection,
  ) {
    this.#config = config;
    this.#aliases = aliases;
    this.#keys = keys;
    this.#selection = selection;
  }

  /** `readTable` is undefined when there is no table of scripts that can be read. Rejects with StatementFailure. */
  async *read(readTable: Database | undefined): AsyncGenerator<ProvableText> {
    const isStored = scriptsTableOf(this.#config) !== undefined;
    if (readTable !== undefined) yield* this.#records(readTable);
    if (!isStored || this.#config['queries.import_on_startup']) yield* this.#files();
  }

  async *#records(database: Database): AsyncGenerator<ProvableText> {
    const records = new Records(scriptsTableOf(this.#config)!, database);
    for (let offset = 0; ; offset += PAGE) {
      const page = await records.list({ page: { limit: String(PAGE), offset: String(offset) } });
      for (const { database: alias, location: folder, name, ...content } of page) {
        if (!isIdentifier(folder) || !isIdentifier(name)) continue;
        if (alias !== '' && !this.#aliases.includes(alias)) continue;
        const own = alias === '' ? undefined : alias;
        for (const verb of VERBS) {
          const text = content[`${verb}_sql`];
          if (text === undefined) continue;
          if (own === undefined) this.#texts.add(keyOf(folder, name, verb, text));
          const file = `${own === undefined ? '' : `${own}/`}${folder}/${name} (${verb})`;
          const found = this.#provable(folder, name, verb, text, file, own);
          if (found !== undefined) yield found;
        }
      }
      if (page.length < PAGE) return;
    }
  }

  async *#files(): AsyncGenerator<ProvableText> {
    try {
      for await (const found of scriptFiles(this.#config['queries.location'])) {
        if ('problem' in found || found.text.trim() === '') continue;
        const { file, text, script } = found;
        const { folder, name, verb } = script;
        if (this.#isStored(folder, name, verb, text)) continue;
        const one = this.#provable(folder, name, verb, text, file, undefined);
        if (one !== undefined) yield one;
      }
    } catch (error) {
      // The report names a directory that cannot be read.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }

  #provable(
    folder: string,
    name: string,
    verb: Verb,
    text: string,
    file: string,
    alias: string | undefined,
  ): ProvableText | undefined {
    if (this.#selection?.has({ alias, folder, name, verb }) === false) return undefined;
    const script = `${folder}/${name}`;
    const compiled = compileText(text, script, verb);
    if (compiled instanceof ServiceError) return undefined;
    const aliases = alias === undefined ? this.#aliasesOf(compiled, script) : [alias];
    return aliases.length === 0 ? undefined : { script, text: compiled, alias, file, aliases };
  }

  #aliasesOf({ head }: ScriptText, script: string): readonly string[] {
    const chosen = this.#selection?.alias;
    return meantAliases(chosen === undefined ? this.#aliases : [chosen], this.#keys, script, head);
  }

  /** Whether an import would not change the stored script by this file. */
  #isStored(folder: string, name: string, verb: Verb, text: string): boolean {
    if (this.#texts.has(keyOf(folder, name, verb, text))) return true;
    const skips = this.#config['queries.import_policy'] === 'skip';
    return skips && this.#keys.has(`/${folder}/${name}`);
  }
}

function keyOf(folder: string, name: string, verb: Verb, text: string): string {
  return `${folder}/${name}.${verb} ${createHash('sha256').update(text).digest('base64')}`;
}
