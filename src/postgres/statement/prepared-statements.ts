/**
 * The statements prepared on one connection: texts of scripts that recur, and identity statements. A new one's Parse is
 * written into the segment that is sent next.
 */
import type { Pipeline } from '../../native/pipeline.js';
import type { Statement } from './job.js';
import { StatementCache, type StatementCacheBounds } from './statement-cache.js';

/** Bounds for one connection: up to 24 MiB in PostgreSQL. */
const STATEMENTS: StatementCacheBounds = { statements: 200, weight: 24 << 10 };

/** More than there are identity statements, so that none is ever evicted. */
const IDENTITIES: StatementCacheBounds = { statements: 64, weight: Infinity };

export class PreparedStatements {
  readonly statements = new StatementCache(STATEMENTS);
  readonly identities = new StatementCache(IDENTITIES, 'i');
  readonly #pipeline: Pipeline;
  readonly #enabled: boolean;

  /** Nothing is prepared unless `enabled`: some poolers do not keep prepared statements. */
  constructor(pipeline: Pipeline, enabled: boolean) {
    this.#pipeline = pipeline;
    this.#enabled = enabled;
  }

  /** parse prepares a statement if that is worthwhile, and returns its name, else ''. */
  parse(statement: Statement): string {
    if (!this.#enabled || !statement.recurs || statement.commits === true) return '';
    return this.statements.hasRoom(statement) ? this.#parse(statement, this.statements) : '';
  }

  /** parseIdentity prepares an identity statement and returns its name; '' when nothing is prepared. */
  parseIdentity(statement: Statement): string {
    return this.#enabled ? this.#parse(statement, this.identities) : '';
  }

  #parse(statement: Statement, cache: StatementCache): string {
    const name = cache.add(statement);
    this.#pipeline.prepare(name, statement.sql);
    return name;
  }

  /** drop forgets a statement and returns its name, undefined if it was not prepared. */
  drop(statement: Statement): string | undefined {
    const name = this.statements.find(statement);
    if (name !== undefined) this.statements.remove(statement);
    return name;
  }
}
