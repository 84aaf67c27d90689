/**
 * The claims of a caller's token, by name. Only what the token's own objects hold is found. Refuses text with a NUL, which
 * no value of PostgreSQL can hold and which would end it early.
 */
import { ServiceError } from '../errors.js';

type Members = Readonly<Record<string, unknown>>;

const DOT = 0x2e;

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
   * get is the claim of a name, undefined when there is none. Dots lead into objects; where a member's own name has dots,
   * the longest name that fits counts. Throws ServiceError `invalid_value` for text with a NUL.
   */
  get(name: string): unknown {
    const value = find(this.#claims, name);
    if (holdsNul(value)) throw new ServiceError('invalid_value', 'a claim holds a NUL');
    return value;
  }
}

function find(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name];
  let longest = '';
  for (const key of Object.keys(value)) {
    const leads = name.charCodeAt(key.length) === DOT && name.startsWith(key);
    if (leads && key.length > longest.length) longest = key;
  }
  if (longest === '') return undefined;
  return find(value[longest], name.slice(longest.length + 1));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object is bound as JSON, in which a NUL is escaped. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return Array.isArray(value) && value.some(holdsNul);
}
