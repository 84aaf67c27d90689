/**
 * Statements of the service itself on the primary of a database with replicas, whichever server that is at the time. What may
 * write waits until the first one was chosen.
 */
import type { ServiceError } from '../../base/errors.js';
import type { Description } from '../../native/pipeline.js';
import type { Database } from '../lanes/database.js';
import type { Engine } from '../../base/engine.js';
import type { InternalOptions, InternalOutcome } from '../statement/internal-job.js';
import type { DescribeOptions, Queryable, ServiceDatabase } from '../statement/queryable.js';
import type { Servers } from './servers.js';
import type { SqlFailure } from '../statement/sql-failure.js';

export class PrimaryDatabase implements ServiceDatabase {
  readonly dedicated: Queryable = {
    query: (sql, values) =>
      this.#servers.decided().then(() => this.#database.dedicated.query(sql, values)),
  };
  readonly #servers: Servers;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  get #database(): Database {
    return this.#servers.primary.database;
  }

  get version(): number {
    return this.#database.version;
  }

  engine(): Promise<Engine> {
    return this.#servers.readable.database.engine();
  }

  async query(
    sql: string,
    values?: (string | null)[],
    options?: InternalOptions,
  ): Promise<InternalOutcome> {
    await this.#servers.decided();
    return this.#database.query(sql, values, options);
  }

  /** queryWithin is as Database.queryWithin; while there is no primary, a replica runs what cannot write. */
  queryWithin(
    limit: number,
    sql: string,
    values?: (string | null)[],
    options?: InternalOptions,
  ): Promise<InternalOutcome> {
    return this.#servers.readable.database.queryWithin(limit, sql, values, options);
  }

  describe(
    sql: string,
    options?: DescribeOptions,
  ): Promise<Description | SqlFailure | ServiceError> {
    return this.#database.describe(sql, options);
  }
}
