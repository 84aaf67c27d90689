/** The texts in the table of stored scripts. */
import { performance } from 'node:perf_hooks';
import type { Logger } from '../log.js';
import { LogOnce } from '../log-once.js';
import { StatementFailure, type TimedQueryable } from '../pg/queryable.js';
import { ScriptLoader } from '../registry/script-loader.js';
import type { ScriptSnapshot } from '../registry/script-snapshot.js';
import { VERBS } from '../script/verb.js';
import type { ScriptsTable } from '../settings.js';
import type { ServedText, ServedTexts, TextSource } from './served-texts.js';

export class TableTexts implements TextSource {
  took = 0;
  readonly #loader: ScriptLoader;
  readonly #log: Logger;
  readonly #trouble = new LogOnce();
  #snapshot: ScriptSnapshot | undefined;
  #texts: ServedTexts | undefined;

  /** `database` has the table; `texts` logs about texts, `log` that they cannot be read. */
  constructor(
    table: ScriptsTable,
    database: TimedQueryable,
    maxResult: number,
    log: Logger,
    texts: Logger,
  ) {
    this.#loader = new ScriptLoader(table, database, maxResult, texts);
    this.#log = log;
  }

  async read(): Promise<ServedTexts | undefined> {
    const began = performance.now();
    try {
      const snapshot = await this.#loader.load(this.#snapshot);
      this.took = performance.now() - began;
      this.#trouble.end();
      if (snapshot !== this.#snapshot) this.#texts = textsOf(snapshot);
      this.#snapshot = snapshot;
      return this.#texts;
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error;
      if (this.#trouble.isNew(error.reason))
        this.#log.debug(`the stored scripts cannot be read to be proved: ${error.reason}`);
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
