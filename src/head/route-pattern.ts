/** A path declared by `-- @path`; `{name}` as a segment is a parameter. */
export interface RoutePattern {
  /** Methods in upper case; those of the script's verb when the directive names none. */
  readonly methods: readonly string[];
  /** As declared, for messages. */
  readonly path: string;
  readonly segments: readonly (string | { readonly parameter: string })[];
}
