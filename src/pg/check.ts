/** Whether a database can be reached with its settings, for the command line. */
import type { DatabaseSettings } from '../protocol.js';
import { openConnection } from './connector.js';

export type CheckedDatabase =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly message: string };

/** checkDatabase connects once; `version` is like 15.18, `message` what libpq or the server says (never a password). */
export async function checkDatabase(settings: DatabaseSettings): Promise<CheckedDatabase> {
  try {
    const pq = await openConnection(settings);
    const version = pq.serverVersion();
    pq.finish();
    return { ok: true, version: `${Math.floor(version / 10_000)}.${version % 10_000}` };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
