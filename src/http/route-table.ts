/**
 * The routes by raw path, remembered: a path that was served before costs one look-up. The memory is bounded, and
 * only paths that name a script or a plugin's function enter it (their length is bounded by the path rules).
 */
import { parsePath, type Path } from './path.js';
import type { Whitelist } from './whitelist.js';

/** A script as a path names it. */
export interface QueryRoute {
  readonly kind: 'query';
  readonly alias: string;
  /** Whether a database of that alias is configured. */
  readonly registered: boolean;
  readonly folder: string;
  readonly name: string;
  /** Whether it needs no token. */
  readonly open: boolean;
}

/** A plugin's function as a path names it. */
export type PluginRoute = Extract<Path, { readonly kind: 'plugin' }> & {
  /** Whether it needs no token. */
  readonly open: boolean;
};

/** The registry of scripts, or one of them in it. */
export type RegistryRoute = Extract<Path, { readonly kind: 'registry' }> & {
  /** Whether a database of the alias is configured, where there is one. */
  readonly registered: boolean;
};

export type Route =
  | QueryRoute
  | PluginRoute
  | RegistryRoute
  | Exclude<Path, { readonly kind: 'query' | 'plugin' | 'registry' }>;

const REMEMBERED = 4_096;

/** RouteTable resolves paths. */
export class RouteTable {
  readonly #context: string;
  readonly #aliases: ReadonlySet<string>;
  readonly #defaultAlias: string;
  readonly #whitelist: Whitelist;
  readonly #registry: boolean;
  readonly #known = new Map<string, QueryRoute | PluginRoute>();

  constructor(
    context: string,
    aliases: ReadonlySet<string>,
    defaultAlias: string,
    whitelist: Whitelist,
    registry: boolean,
  ) {
    this.#registry = registry;
    this.#whitelist = whitelist;
    this.#context = context;
    this.#aliases = aliases;
    this.#defaultAlias = defaultAlias;
  }

  /** isOpen tells whether a raw path that names neither script nor plugin needs no token. One that is encoded does. */
  isOpen(raw: string): boolean {
    if (raw.includes('%') || !raw.startsWith(`${this.#context}/`)) return false;
    return this.#whitelist.has(raw.slice(this.#context.length));
  }

  /** resolve tells what a raw path names. */
  resolve(raw: string): Route {
    const known = this.#known.get(raw);
    if (known !== undefined) return known;
    const path = parsePath(raw, this.#context, this.#registry);
    if (path.kind === 'registry') {
      const { alias } = path;
      return { ...path, registered: alias === undefined || this.#aliases.has(alias) };
    }
    if (path.kind === 'plugin') {
      const open = this.#whitelist.has(`/_PLUGIN/${path.file}/${path.func}`);
      return this.#remember(raw, { ...path, open });
    }
    if (path.kind !== 'query') return path;
    const alias = path.alias ?? this.#defaultAlias;
    const segments = [path.alias, path.folder, path.name].filter((part) => part !== undefined);
    return this.#remember(raw, {
      ...path,
      alias,
      registered: this.#aliases.has(alias),
      open: this.#whitelist.has(`/_QUERIES/${segments.join('/')}`),
    });
  }

  #remember<Kind extends QueryRoute | PluginRoute>(raw: string, route: Kind): Kind {
    if (this.#known.size === REMEMBERED) this.#known.clear(); // those in use are back at once
    this.#known.set(raw, route);
    return route;
  }
}
