/**
 * Opens connections without ever blocking the thread, and puts them into the state that the service works in: pipeline
 * mode, non-blocking. What the server or libpq says of a failure is passed on without the connection string.
 */
import type { DatabaseSettings } from '../protocol.js';
import { connectsSafely, loadLibpq, type Libpq } from './libpq-addon.js';

/**
 * openConnection connects and enters pipeline mode. Rejects with an Error that says why; the string's connect_timeout
 * bounds the wait.
 */
export async function openConnection(settings: DatabaseSettings): Promise<Libpq> {
  const pq = await connect(settings);
  pq.setNonBlocking(true);
  if (pq.enterPipelineMode()) return pq;
  pq.finish();
  throw new Error('libpq could not enter pipeline mode');
}

/** connect connects, and rejects as openConnection does. */
export function connect(settings: DatabaseSettings): Promise<Libpq> {
  return new Promise((resolve, reject) => {
    const pq = new (loadLibpq())();
    if (!connectsSafely()) {
      reject(
        new Error("libpq's addon is not the version this service was made for: install 1.11.0"),
      );
      return;
    }
    pq.connect(settings.conninfo, (error) => {
      if (error === undefined) {
        resolve(pq);
        return;
      }
      pq.finish();
      reject(new Error(message(error)));
    });
  });
}

function message(error: Error | string): string {
  return (typeof error === 'string' ? error : error.message).trim();
}
