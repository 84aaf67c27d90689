/**
 * The claims of a caller's token, by name. Only what the token's own objects hold is found. Refuses text with a NUL, which
 * no value of PostgreSQL can hold and which would end it early.
 */
import { claimOf } from '../access/claim.js';
import { ServiceError } from '../errors.js';

/** Claims holds the claims of one request. */
export class Claims {
  readonly #claims: unknown;

  /** `json` is an object. Throws ServiceError `internal` when it is no JSON, whose text is not to be told. */
  constructor(json: string) {
    try {
      this.#claims = JSON.parse(json);
    } catch {
      throw new ServiceError('internal');
    }
  }

  /**
   * get is the claim of a name as claimOf finds it, undefined when there is none. Throws ServiceError `invalid_value` for
   * text with a NUL.
   */
  get(name: string): unknown {
    const value = claimOf(this.#claims, name);
    if (holdsNul(value)) throw new ServiceError('invalid_value', 'a claim holds a NUL');
    return value;
  }
}

/** An object is bound as JSON, in which a NUL is escaped. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return Array.isArray(value) && value.some(holdsNul);
}
