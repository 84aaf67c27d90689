/** The constraints of a parameter, as declared. */
export interface ParameterBounds {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly minlength?: string | undefined;
  readonly maxlength?: string | undefined;
  readonly pattern?: string | undefined;
}

/** A parameter declared by `-- @param`. */
export interface DeclaredParameter {
  /** With the prefix `header.` or `body.` where it is not of the query string; a header's name is canonical. */
  readonly name: string;
  /** The type as declared, without `[]`. */
  readonly type: string;
  readonly values: readonly string[] | undefined;
  readonly bounds: ParameterBounds;
  readonly required: boolean;
  /** Rendered and bound when nothing was sent; a list for a parameter that is one. */
  readonly fallback: string | readonly string[] | undefined;
  /** Whether one value is a list too. */
  readonly list: boolean;
  /** What each value must be: `an integer from 1 to 100`. */
  readonly expected: string;
  readonly description: string;
  /** isValid tells whether PostgreSQL can accept a value, as far as that shows without it. */
  isValid(value: string): boolean;
}
