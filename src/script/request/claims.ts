/**
 * The claims of a caller's token, by name. Inherited properties are not found. Refuses text with a NUL, which PostgreSQL's
 * values cannot contain and which would truncate them.
 */
import { claimOf } from '../../access/claims.js';
import { ServiceError } from '../../base/errors.js';

export class Claims {
  readonly #claims: unknown;

  /** `json` is an object. Throws ServiceError `internal` for invalid JSON, without its text. */
  constructor(json: string) {
    try {
      this.#claims = JSON.parse(json);
    } catch {
      throw new ServiceError('internal');
    }
  }

  /** get finds a claim as claimOf does. Throws ServiceError `invalid_value` for text with a NUL. */
  get(name: string): unknown {
    const value = claimOf(this.#claims, name);
    if (holdsNul(value)) throw new ServiceError('invalid_value', 'a claim holds a NUL');
    return value;
  }
}

/** Objects are bound as JSON, in which a NUL is escaped. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return Array.isArray(value) && value.some(holdsNul);
}
