/**
 * Checks the paths that the texts of a record declare: one that another script has is refused, as neither would serve it.
 */
import { routesOf } from '../../script/route-list.js';
import type { RoutedScript } from '../../script/scripts.js';
import type { ScriptKey } from '../scripts/scripts-table.js';
import { INVALID, TemplateRejected, type Texts } from './template-check.js';

/**
 * checkPaths has `routed` list the scripts with paths as they are stored, if the texts have any. Rejects with
 * TemplateRejected `invalid_template`, or as `routed` does.
 */
export async function checkPaths(
  { database, location, name }: ScriptKey,
  texts: Texts,
  defaultAlias: string,
  routed: () => Promise<readonly RoutedScript[]>,
): Promise<void> {
  const alias = database === '' ? undefined : database;
  const declared: RoutedScript[] = [];
  for (const [verb, { head }] of texts)
    if (head.routes.length > 0)
      declared.push({ alias, folder: location, name, verb, routes: head.routes });
  if (declared.length === 0) return;
  // On the default database its own record of a script hides the one for all databases: only one of them serves paths.
  const others = (await routed()).filter(
    (other) =>
      other.folder !== location ||
      other.name !== name ||
      (other.alias ?? defaultAlias) !== (alias ?? defaultAlias),
  );
  const { conflicts } = routesOf([...others, ...declared], defaultAlias);
  for (const { scripts, message } of conflicts) {
    const { verb } = scripts[1];
    if (declared.includes(scripts[1]))
      throw new TemplateRejected(`${verb}_sql: ${message}`, INVALID, {
        script: `${location}/${name}`,
        verb,
      });
  }
}
