/**
 * The head of a script: what the directives in its leading comment declare, lines such as `-- @one`. For pREST they are
 * comments. An unknown directive is a warning; a known one that makes no sense keeps the script from being served.
 */
import type { DeclaredParameter } from './declared-parameter.js';
import type { HeaderTemplate } from './header-template.js';
import type { RoutePattern } from './route-pattern.js';

export interface Head {
  /** By name, with the prefix `header.` or `body.` where it is not of the query string. */
  readonly parameters: ReadonlyMap<string, DeclaredParameter>;
  /** Whether parameters that the script does not know are refused. */
  readonly strict: boolean;
  readonly shape: Shape;
  /** HTTP status of a response without an error. */
  readonly status: number;
  /** Further headers of such a response. */
  readonly headers: readonly HeaderTemplate[];
  /** Texts for callers in the place of the service's, by SQLSTATE, or by SQLSTATE, a space and the name of a constraint. */
  readonly errors: ReadonlyMap<string, string>;
  /** Time limit of the script's statements, ms; undefined for the database's. */
  readonly timeout: number | undefined;
  /** Largest body of its requests (bytes); undefined for `http.max_body`. */
  readonly maxBody: number | undefined;
  /** Whether replicas are left out, though its method reads. */
  readonly primary: boolean;
  /** Further paths of the script. */
  readonly routes: readonly RoutePattern[];
  /** Value of the Deprecation header; undefined for a script that is not deprecated. */
  readonly deprecation: string | undefined;
  readonly warnings: readonly HeadWarning[];
}

/** The response: the list of all rows, one row as an object, or the one value of one row. */
export type Shape = 'list' | 'one' | 'scalar';

/** A warning of the head; the line counts from 1. */
export interface HeadWarning {
  readonly line: number;
  readonly message: string;
}

/** A directive that makes no sense; its line counts from 1. */
export class HeadError extends Error {
  override readonly name = 'HeadError';
  readonly line: number;
  /** Private, because loggers write the properties of an error. */
  readonly #text: string;

  /** `text` is the script's. */
  constructor(line: number, message: string, text: string) {
    super(message);
    this.line = line;
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** The head of a script without directives. */
export const NO_HEAD: Head = {
  parameters: new Map(),
  strict: false,
  shape: 'list',
  status: 200,
  headers: [],
  errors: new Map(),
  timeout: undefined,
  maxBody: undefined,
  primary: false,
  routes: [],
  deprecation: undefined,
  warnings: [],
};
