/**
 * The scripts of a service as it starts: how many there are, and which cannot be served. Texts that are compiled for that
 * are not kept.
 */
import { problemPlace } from '../../script/files/script-files.js';
import { listScripts } from '../../script/files/script-listing.js';
import type { StoredScripts } from '../../stored/scripts/stored-scripts.js';
import type { FoundScripts } from '../../messages/tasks.js';
import { errorText, systemErrorText } from '../../base/text.js';

export async function scriptFilesFound(location: string): Promise<FoundScripts> {
  try {
    const { scripts, problems } = await listScripts(location);
    return {
      count: scripts.length,
      broken: problems.length,
      problems: problems.map((problem) => ({
        place: problemPlace(problem),
        message: problem.message,
      })),
    };
  } catch (error) {
    return { unreadable: systemErrorText(error) };
  }
}

export async function storedScriptsFound(stored: StoredScripts): Promise<FoundScripts> {
  try {
    return await stored.found();
  } catch (error) {
    return { unreadable: errorText(error) };
  }
}
