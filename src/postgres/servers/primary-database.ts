/**
 * Statements of the service itself on the primary of a database with replicas, whichever server that is at the time. What may
 * write waits until the first one was chosen.
 */
import type { Database } from '../lanes/database.js';
import type { Engine } from '../../base/engine.js';
import type { InternalOutcome } from '../statement/internal-job.js';
import type { Queryable, ServiceDatabase } from '../statement/queryable.js';
import type { Servers } from './servers.js';

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

  async query(...args: Parameters<ServiceDatabase['query']>): Promise<InternalOutcome> {
    await this.#servers.decided();
    return this.#database.query(...args);
  }

  /** queryWithin is as Database.queryWithin; while there is no primary, a replica runs what cannot write. */
  queryWithin(...args: Parameters<ServiceDatabase['queryWithin']>): Promise<InternalOutcome> {
    return this.#servers.readable.database.queryWithin(...args);
  }

  describe(...args: Parameters<ServiceDatabase['describe']>): ReturnType<Database['describe']> {
    return this.#database.describe(...args);
  }
}
