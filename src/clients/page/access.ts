/** What the page may show its user besides the document of a database. */
import { textOf, type Client } from './client.js';

export interface Access {
  /** Aliases of databases; paths without an alias are for the default one. */
  readonly default: string;
  readonly databases: readonly string[];
  readonly sql: boolean;
}

const NOTHING: Access = { default: '', databases: [], sql: false };

/** readAccess gives what the service permits; nothing when it does not say. */
export async function readAccess(client: Client): Promise<Access> {
  try {
    const received = await client.read('_docs/access');
    return received.status === 200 ? (JSON.parse(textOf(received)) as Access) : NOTHING;
  } catch {
    return NOTHING;
  }
}
