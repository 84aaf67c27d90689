/** Requests for the scripts of a folder. */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '#app/base/errors.js';
import type { ScriptStore } from '#app/script/files/script-store.js';

/**
 * ask gives what a request for a script finds: its text, or the code and message of the refusal. To the store the request comes
 * `later` by that many milliseconds.
 */
export async function ask(
  store: ScriptStore,
  path: string,
  method = 'GET',
  later = 0,
): Promise<string> {
  const [folder, name] = path.split('/') as [string, string];
  try {
    const entry = await store.find('any', folder, name, performance.now() + later);
    return entry.select(method).template.render({}).text;
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.allow ?? ''}`.trim();
    throw error;
  }
}
