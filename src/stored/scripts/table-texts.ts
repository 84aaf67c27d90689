/** The texts in the table of stored scripts. */
import { performance } from 'node:perf_hooks';
import type { Logger } from '../../observe/log.js';
import { StatementFailure, type TimedQueryable } from '../../postgres/statement/queryable.js';
import { ScriptLoader } from './script-loader.js';
import type { ScriptSnapshot } from './script-snapshot.js';
import { VERBS } from '../../script/verb.js';
import type { ScriptsTable } from '../../messages/database-settings.js';
import type { ServedText, ServedTexts, TextSource } from '../../proof/prover/served-texts.js';

export class TableTexts implements TextSource {
  unreadable: string | undefined;
  took = 0;
  readonly #loader: ScriptLoader;
  #snapshot: ScriptSnapshot | undefined;
  #texts: ServedTexts | undefined;

  /** `database` has the table. `maxResult` is the largest result of one statement, in bytes. */
  constructor(table: ScriptsTable, database: TimedQueryable, maxResult: number, log: Logger) {
    this.#loader = new ScriptLoader(table, database, maxResult, log);
  }

  async read(): Promise<ServedTexts | undefined> {
    const began = performance.now();
    try {
      const snapshot = await this.#loader.load(this.#snapshot);
      this.took = performance.now() - began;
      this.unreadable = undefined;
      if (snapshot !== this.#snapshot) this.#texts = textsOf(snapshot);
      this.#snapshot = snapshot;
      return this.#texts;
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      this.unreadable = error.reason;
      return undefined;
    }
  }
}

function textsOf(snapshot: ScriptSnapshot): ServedTexts {
  const texts: ServedText[] = [];
  const own = new Set<string>();
  for (const script of snapshot.scripts()) {
    const { database, path } = script;
    if (database !== '') own.add(`${database}/${path}`);
    for (const verb of VERBS) {
      const compiled = script.compiled(verb);
      if (compiled === undefined) continue;
      texts.push({
        script: path!,
        verb,
        own: database === '' ? undefined : database,
        compiled,
      });
    }
  }
  return { texts, own };
}
