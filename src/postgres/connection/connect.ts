/**
 * Connects to PostgreSQL without blocking the thread. Errors carry the message of libpq or the server, never the
 * connection string.
 */
import type { DatabaseSettings } from '../../messages/database-settings.js';
import { errorText } from '../../base/text.js';
import { withAdvice } from './connection-advice.js';
import { connectsSafely, loadLibpq, type Libpq } from './libpq-addon.js';

/** connect resolves to a connection, or rejects with an Error; the string's connect_timeout bounds the wait. */
export function connect(settings: DatabaseSettings): Promise<Libpq> {
  return new Promise((resolve, reject) => {
    const pq = new (loadLibpq())();
    if (!connectsSafely())
      throw new Error("libpq's addon is not the version this service was made for: install 1.11.0");
    pq.connect(settings.conninfo, (error) => {
      if (error === undefined) {
        resolve(pq);
        return;
      }
      pq.finish();
      reject(new Error(withAdvice(errorText(error).trim())));
    });
  });
}

/** connectPipelined connects, non-blocking and in pipeline mode; rejects as connect does. */
export async function connectPipelined(settings: DatabaseSettings): Promise<Libpq> {
  const pq = await connect(settings);
  pq.setNonBlocking(true);
  if (pq.enterPipelineMode()) return pq;
  pq.finish();
  throw new Error('libpq could not enter pipeline mode');
}
