/**
 * Opens connections without ever blocking the thread, and puts them into the state that the service works in: pipeline
 * mode, non-blocking. What the server or libpq says of a failure is passed on without the connection string.
 */
import type { DatabaseSettings } from '../protocol.js';
import { connectsSafely, loadLibpq, type Libpq } from './libpq-addon.js';

/** openConnection connects. Rejects with an Error that says why; the string's connect_timeout bounds the wait. */
export function openConnection(settings: DatabaseSettings): Promise<Libpq> {
  return new Promise((resolve, reject) => {
    const pq = new (loadLibpq())();
    if (!connectsSafely()) {
      reject(
        new Error("libpq's addon is not the version this service was made for: install 1.11.0"),
      );
      return;
    }
    pq.connect(settings.conninfo, (error) => {
      if (error !== undefined) {
        pq.finish();
        reject(new Error(message(error)));
        return;
      }
      pq.setNonBlocking(true);
      if (pq.enterPipelineMode()) {
        resolve(pq);
        return;
      }
      pq.finish();
      reject(new Error('libpq could not enter pipeline mode'));
    });
  });
}

function message(error: Error | string): string {
  return (typeof error === 'string' ? error : error.message).trim();
}
