/**
 * The routes of all scripts with paths of their own. Where two scripts could serve a method of the same path, neither does:
 * parameters with other names do not make another path, literal text in the place of a parameter does.
 */
import type { RoutePattern } from './head/route-pattern.js';
import type { ScriptRoute } from '../messages/tasks.js';
import type { RoutedScript } from './scripts.js';

/** Two scripts that declare the same path. */
export interface RouteConflict {
  readonly scripts: readonly [RoutedScript, RoutedScript];
  readonly message: string;
}

/** A text that declares a path for a method; `conflict` when another one does too. */
interface Claim {
  readonly script: RoutedScript;
  readonly pattern: RoutePattern;
  conflict: boolean;
}

export interface Routes {
  readonly routes: readonly ScriptRoute[];
  readonly conflicts: readonly RouteConflict[];
}

/** routesOf lists the routes; `defaultAlias` is the database of scripts without one. */
export function routesOf(scripts: readonly RoutedScript[], defaultAlias: string): Routes {
  const claims = new Map<string, Claim>();
  const conflicts: RouteConflict[] = [];
  const sorted = [...scripts].sort((a, b) => Number(a.broken ?? false) - Number(b.broken ?? false));
  for (const script of sorted)
    for (const pattern of script.routes) {
      /** The methods of a pattern that earlier ones have. */
      const contested = new Map<RoutePattern, { claim: Claim; methods: string[] }>();
      for (const method of pattern.methods) {
        const key = `${method} ${shapeOf(pattern)}`;
        const claim = claims.get(key);
        if (claim === undefined) claims.set(key, { script, pattern, conflict: false });
        else if (script.broken === true) continue;
        else if (claim.script !== script || namesOf(claim.pattern) !== namesOf(pattern)) {
          claim.conflict = true;
          const one = contested.get(claim.pattern) ?? { claim, methods: [] };
          one.methods.push(method);
          contested.set(claim.pattern, one);
        }
      }
      for (const { claim, methods } of contested.values()) {
        const message = conflictMessage(claim, script, pattern, methods);
        conflicts.push({ scripts: [claim.script, script], message });
      }
    }
  return { routes: routesOfClaims(claims, defaultAlias), conflicts };
}

/** One route for the methods that a pattern serves, and one for those in conflict. */
function routesOfClaims(claims: ReadonlyMap<string, Claim>, defaultAlias: string): ScriptRoute[] {
  /** The methods of a pattern, by whether it is the only one to declare them. */
  const methods = new Map<
    RoutePattern,
    Record<'served' | 'contested', string[]> & Pick<Claim, 'script'>
  >();
  for (const [key, { script, pattern, conflict }] of claims) {
    const method = key.slice(0, key.indexOf(' '));
    const one = methods.get(pattern) ?? { script, served: [], contested: [] };
    one[conflict ? 'contested' : 'served'].push(method);
    methods.set(pattern, one);
  }
  const routes: ScriptRoute[] = [];
  for (const [{ path, segments }, { script, served, contested }] of methods) {
    const { alias = defaultAlias, folder, name } = script;
    if (served.length > 0)
      routes.push({ methods: served, path, segments, script: { alias, folder, name } });
    if (contested.length > 0)
      routes.push({ methods: contested, path, segments, script: undefined });
  }
  return routes;
}

/** The same for two patterns if they match the same paths; no literal segment contains a NUL. */
function shapeOf({ segments }: RoutePattern): string {
  return segments.map((one) => (typeof one === 'string' ? `=${one}` : '')).join('\0');
}

function namesOf({ segments }: RoutePattern): string {
  return segments.map((one) => (typeof one === 'string' ? '' : one.parameter)).join('\0');
}

function conflictMessage(
  { script: first, pattern }: Claim,
  second: RoutedScript,
  { path }: RoutePattern,
  methods: readonly string[],
): string {
  const other = path === pattern.path ? '' : ` as ${path}`;
  return (
    `${methods.join(', ')} ${pattern.path} is declared by ${labelOf(first)}, and by ${labelOf(second)}${other}: ` +
    'neither serves it, change one of the two'
  );
}

/** As messages name a text: `[alias/]folder/name (verb)`. */
export function labelOf({ alias, folder, name, verb }: RoutedScript): string {
  return `${alias === undefined ? '' : `${alias}/`}${folder}/${name} (${verb})`;
}
