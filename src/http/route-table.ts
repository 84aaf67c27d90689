/**
 * The routes by raw path, remembered: a path that was served before costs one look-up. The memory is bounded, and
 * only paths that name a script enter it (their length is bounded by the path rules).
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

/** The registry of scripts, or one of them in it. */
export type RegistryRoute = Extract<Path, { readonly kind: 'registry' }> & {
  /** Whether a database of the alias is configured, where there is one. */
  readonly registered: boolean;
};

export type Route =
  QueryRoute | RegistryRoute | Exclude<Path, { readonly kind: 'query' | 'registry' }>;

const REMEMBERED = 4_096;

/** RouteTable resolves paths. */
export class RouteTable {
  readonly #context: string;
  readonly #aliases: ReadonlySet<string>;
  readonly #defaultAlias: string;
  readonly #whitelist: Whitelist;
  readonly #registry: boolean;
  readonly #queries = new Map<string, QueryRoute>();

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

  /** isOpen tells whether a raw path that names no script needs no token. One that is encoded does. */
  isOpen(raw: string): boolean {
    if (raw.includes('%') || !raw.startsWith(`${this.#context}/`)) return false;
    return this.#whitelist.has(raw.slice(this.#context.length));
  }

  /** resolve tells what a raw path names. */
  resolve(raw: string): Route {
    const known = this.#queries.get(raw);
    if (known !== undefined) return known;
    const path = parsePath(raw, this.#context, this.#registry);
    if (path.kind === 'registry') {
      const { alias } = path;
      return { ...path, registered: alias === undefined || this.#aliases.has(alias) };
    }
    if (path.kind !== 'query') return path;
    const alias = path.alias ?? this.#defaultAlias;
    const segments = [path.alias, path.folder, path.name].filter((part) => part !== undefined);
    const route: QueryRoute = {
      ...path,
      alias,
      registered: this.#aliases.has(alias),
      open: this.#whitelist.has(`/_QUERIES/${segments.join('/')}`),
    };
    if (this.#queries.size === REMEMBERED) this.#queries.clear(); // those in use are back at once
    this.#queries.set(raw, route);
    return route;
  }
}
