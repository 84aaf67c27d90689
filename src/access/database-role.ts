/**
 * The database role that a caller's statements run under: the value of a claim, if it is one of the configured roles, or the
 * one member of it that is, if it is a list. Refuses callers whose claim has another value or several of the roles, and callers without the claim unless an anonymous role is configured.
 */
import { claimOf } from './claims.js';
import { ServiceError } from '../base/errors.js';
import type { RoleSettings } from '../messages/access-settings.js';
import type { Caller } from './caller.js';

export class DatabaseRole {
  readonly #claim: string;
  readonly #allowed: ReadonlySet<string>;
  readonly #anonymous: string | undefined;
  readonly #known = new WeakMap<Caller, string>();

  constructor({ claim, allowed, anonymous }: RoleSettings) {
    this.#claim = claim;
    this.#allowed = new Set(allowed);
    this.#anonymous = anonymous;
  }

  /** of returns the role of a caller; undefined is an anonymous caller. Throws ServiceError `permission_denied`. */
  of(caller: Caller | undefined): string {
    if (caller === undefined) return this.#withoutClaim();
    let role = this.#known.get(caller);
    if (role === undefined) this.#known.set(caller, (role = this.#named(caller)));
    return role;
  }

  #named(caller: Caller): string {
    const value = claimOf(caller.payload, this.#claim);
    if (value === undefined) return this.#withoutClaim();
    const found = [value].flat().filter((one): one is string => this.#isAllowed(one));
    const [role] = found;
    // A repeated role is one role; several roles are ambiguous.
    if (role === undefined || found.some((one) => one !== role))
      throw new ServiceError('permission_denied');
    return role;
  }

  #isAllowed(value: unknown): boolean {
    return typeof value === 'string' && this.#allowed.has(value);
  }

  #withoutClaim(): string {
    if (this.#anonymous === undefined) throw new ServiceError('permission_denied');
    return this.#anonymous;
  }
}
