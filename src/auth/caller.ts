/**
 * Who sends a request, as a verified token says. A leaf of this folder: it checks nothing, it only reads what was
 * checked.
 */

/** A caller that showed a valid token. */
export interface Caller {
  /** Compared exactly with the names of the configuration; empty: nobody by name, only what is for everybody. */
  readonly name: string;
  /** The payload as compact JSON, each number as it was sent. */
  readonly claims: string;
  /** The payload; look at it with Object.hasOwn, its members are whatever the issuer wrote. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** When the token expires, ms since the epoch; Infinity for never. */
  readonly expires: number;
}
