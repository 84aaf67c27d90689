/** A parameter declared by `-- @param`. */
export interface DeclaredParameter {
  readonly name: string;
  readonly required: boolean;
  /** Rendered and bound when nothing was sent. */
  readonly fallback: string | undefined;
  /** Whether one value is a list too. */
  readonly list: boolean;
  readonly description: string;
}
