/** A caller and what its token says. */

/** The name and the scopes that permissions depend on. */
export interface Holder {
  /** Compared exactly with the user names of the configuration; empty for a caller without a name. */
  readonly name: string;
  /** The scopes of the token, which entries of `queries.scripts` may require. */
  readonly scopes: ReadonlySet<string>;
}

export const NO_SCOPES: ReadonlySet<string> = new Set();

/** A caller without a token. */
export const NOBODY: Holder = { name: '', scopes: NO_SCOPES };

/** The sender of a request, as its verified token says. */
export interface Caller extends Holder {
  /** The payload as compact JSON, with numbers as they were sent. */
  readonly claims: string;
  /** The payload. Its member names are arbitrary: read them with Object.hasOwn. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** When the token expires, ms since the epoch; Infinity for never. */
  readonly expires: number;
}
