/** Which databases a text is for that is kept for all of them. */
import type { Head } from '../../script/head/head.js';

/**
 * targetDatabases gives the databases that a text may be meant for, in the order of `aliases`: those without a stored script
 * of their own, which `own` has as `alias/folder/script`. A text with paths of its own is for the first one, the default
 * database.
 */
export function targetDatabases(
  aliases: readonly string[],
  own: ReadonlySet<string>,
  script: string,
  head: Head | undefined,
): readonly string[] {
  const hasRoutes = head !== undefined && head.routes.length > 0;
  return aliases.filter((alias, i) => !own.has(`${alias}/${script}`) && (!hasRoutes || i === 0));
}
