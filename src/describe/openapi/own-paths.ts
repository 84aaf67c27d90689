/**
 * The paths that scripts declare, in the notation of OpenAPI. That forbids two paths that differ only in the names of their
 * parameters, so that the first one names the parameters of the others.
 */
import type { ScriptRoute } from '../../messages/tasks.js';

/** A path of a script. */
export interface OwnPath {
  readonly path: string;
  readonly methods: readonly string[];
  /** The parameters of the script that are in the path: their names there, by those that the script has for them. */
  readonly names: ReadonlyMap<string, string>;
}

/** ownPaths gives the paths of each script on a database by `folder/name`; those that two scripts declare are not served. */
export function ownPaths(
  routes: readonly ScriptRoute[],
  alias: string,
): ReadonlyMap<string, readonly OwnPath[]> {
  const first = new Map<string, ScriptRoute>();
  const paths = new Map<string, OwnPath[]>();
  for (const route of routes) {
    const { script, methods, segments } = route;
    if (script?.alias !== alias) continue;
    const shape = segments.map((one) => (typeof one === 'string' ? `=${one}` : '')).join('/');
    const shown = first.get(shape) ?? route;
    first.set(shape, shown);
    const names = new Map<string, string>();
    for (const [i, segment] of segments.entries()) {
      const other = shown.segments[i]!;
      if (typeof segment !== 'string' && typeof other !== 'string')
        names.set(segment.parameter, other.parameter);
    }
    const key = `${script.folder}/${script.name}`;
    const known = paths.get(key) ?? [];
    known.push({ path: shown.path, methods, names });
    paths.set(key, known);
  }
  return paths;
}
