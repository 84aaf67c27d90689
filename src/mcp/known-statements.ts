/**
 * Texts of statements that tools ran of late, for each database: the same text is the same statement, so that it is
 * prepared when it comes again, and has one cost.
 */
import { ScriptCost } from '../pg/script-cost.js';
import { Recent, type RecentBounds } from '../recent.js';
import type { Reading } from './read-only.js';

/** A statement and what it costs. */
export type KnownStatement = Pick<Reading, 'statement' | 'cost'>;

const REMEMBERED: RecentBounds = { entries: 500, characters: 1_000_000 };

export class KnownStatements {
  readonly #recent = new Recent<{ statement: { sql: string; recurs: boolean }; cost: ScriptCost }>(
    REMEMBERED,
  );

  /** of gives the statement of a text; `types` tells texts apart whose parameters have other types. */
  of(alias: string, sql: string, types = ''): KnownStatement {
    const key = `${alias}\n${types}\n${sql}`;
    let known = this.#recent.get(key);
    if (known === undefined) {
      known = { statement: { sql, recurs: false }, cost: new ScriptCost() };
      this.#recent.set(key, known);
    } else known.statement.recurs = true;
    return known;
  }
}
