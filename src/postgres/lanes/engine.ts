/**
 * Asks a database for its engine. A server on which settings do not last until the end of a pipeline's segment is refused:
 * callers' roles and claims would not hold for their statements.
 */
import { engineOf, type Engine } from '../../base/engine.js';
import { withTimeout } from '../statement/identity.js';
import { rowsOf, type ServiceDatabase } from '../statement/queryable.js';

/** An unusual time limit, ms, which the question reads back: it is gone if settings end with each statement. */
const MARK = 4_321;

const QUESTION = `SELECT pg_catalog.version(), pg_catalog.current_setting('statement_timeout'),
  (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'citus')`;

/** How long the question may take, ms. */
const LIMIT = 3_000;

/** The database that is asked; `version` is libpq's number. */
type Asked = Pick<ServiceDatabase, 'version' | 'queryWithin'>;

/** KnownEngine asks a database once for its engine; again after a failure, and when another version has answered since. */
export class KnownEngine {
  #asked: Promise<Engine> | undefined;
  /** Of the answer; undefined before it. */
  #version: number | undefined;

  /** of rejects with StatementFailure. */
  of(database: Asked): Promise<Engine> {
    const isOld = this.#version !== undefined && this.#version !== database.version;
    if (this.#asked !== undefined && !isOld) return this.#asked;
    this.#version = undefined;
    const asked = ask(database);
    this.#asked = asked;
    asked.then(
      () => (this.#version = database.version),
      () => {
        if (this.#asked === asked) this.#asked = undefined;
      },
    );
    return asked;
  }
}

async function ask(database: Asked): Promise<Engine> {
  const identity = withTimeout(undefined, MARK);
  const query = (sql: string) => database.queryWithin(LIMIT, sql, [], { identity });
  const [row] = await rowsOf({ query }, QUESTION);
  const [text, timeout, citus] = row!;
  const engine = engineOf(text ?? '', database.version, citus ?? null);
  if (Number.parseInt(timeout ?? '', 10) === MARK) return engine;
  const unsupported = `${engine.title} is not supported: settings of a transaction do not hold for the statements of a pipeline behind them, so that callers would have neither their role nor their claims`;
  return { ...engine, unsupported };
}
