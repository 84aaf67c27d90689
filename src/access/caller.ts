/** The sender of a request, as its verified token says. */
export interface Caller {
  /** Compared exactly with the user names of the configuration; empty when the token has no name. */
  readonly name: string;
  /** The scopes of the token, which entries of `queries.scripts` may require. */
  readonly scopes: ReadonlySet<string>;
  /** The payload as compact JSON, with numbers as they were sent. */
  readonly claims: string;
  /** The payload. Its member names are arbitrary: read them with Object.hasOwn. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** When the token expires, ms since the epoch; Infinity for never. */
  readonly expires: number;
}
