/** What becomes of the bodies of requests to a script, as a task of a worker. */
import { performance } from 'node:perf_hooks';
import { ServiceError } from '../../base/errors.js';
import { BODY_METHODS } from '../../messages/batch.js';
import type { RouteScript, ScriptBody } from '../../messages/tasks.js';
import type { FoundScript, Scripts } from '../../script/scripts.js';

/** scriptBodies has an entry for each method that may have a body; none for a script that cannot be used. */
export async function scriptBodies(
  scripts: Scripts,
  { alias, folder, name }: RouteScript,
): Promise<ScriptBody[]> {
  try {
    const script = await scripts.find(alias, folder, name, performance.now());
    return BODY_METHODS.map((method) => bodyOf(script, method));
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

function bodyOf(script: FoundScript, method: string): ScriptBody {
  try {
    const { body, head } = script.select(method);
    return { method, kept: body !== 'none', limit: head.maxBody };
  } catch (error) {
    // The response of such a request says why.
    if (error instanceof ServiceError) return { method, kept: false, limit: undefined };
    throw error;
  }
}
