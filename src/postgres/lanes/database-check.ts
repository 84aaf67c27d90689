/** Checks a database for the command line: whether it answers, and what it is. */
import type { DatabaseSettings } from '../../messages/settings.js';
import { errorText } from '../../base/text.js';
import { connectPipelined } from '../connection/connect.js';
import { openSession } from './database.js';
import type { Engine } from '../../base/engine.js';
import { StatementFailure } from '../statement/queryable.js';

export type CheckedDatabase =
  { readonly ok: true; readonly engine: Engine } | { readonly ok: false; readonly message: string };

/**
 * checkDatabase connects and asks the database what it is. `message` is that of libpq or the server (never a password), or
 * says that the server is not supported.
 */
export async function checkDatabase(settings: DatabaseSettings): Promise<CheckedDatabase> {
  try {
    (await connectPipelined(settings)).finish();
  } catch (error) {
    return { ok: false, message: errorText(error) };
  }
  const database = openSession(settings);
  try {
    const engine = await database.engine();
    const { unsupported } = engine;
    return unsupported === undefined ? { ok: true, engine } : { ok: false, message: unsupported };
  } catch (error) {
    if (!(error instanceof StatementFailure)) throw error;
    return { ok: false, message: error.reason };
  } finally {
    database.close();
  }
}
