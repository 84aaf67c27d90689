/**
 * Who may pass: finds out who a caller is, and whether he may do what he asks for. Without authentication everybody
 * passes, as nobody. Fails closed: what is not allowed is refused, before anything tells whether it is there.
 */
import { permissionFor, ScriptAccess } from '../access/script-access.js';
import { readBearer } from '../auth/bearer.js';
import type { Caller } from '../auth/caller.js';
import { DatabaseRole } from '../auth/database-role.js';
import type { TokenVerifier } from '../auth/token-verifier.js';
import { ServiceError } from '../errors.js';
import type { AuthSettings, RegistrySettings } from '../protocol.js';
import type { QueryRoute } from './route-table.js';

/** Who passed. */
export interface Admitted {
  /** Undefined for nobody known. */
  readonly caller: Caller | undefined;
  /** The database role that statements run under, empty for that of the connection. */
  readonly role: string;
}

const EVERYBODY: Admitted = { caller: undefined, role: '' };

export class Gate {
  readonly #verifier: TokenVerifier | undefined;
  readonly #scripts: ScriptAccess | undefined;
  readonly #role: DatabaseRole | undefined;
  readonly #registrars: ReadonlySet<string>;

  /** `verifier` checks tokens where `settings` says that they are needed. */
  constructor(
    settings: AuthSettings | undefined,
    verifier: TokenVerifier | undefined,
    registry?: RegistrySettings,
  ) {
    this.#verifier = verifier;
    this.#registrars = new Set(registry?.admins);
    this.#scripts = settings?.scripts && new ScriptAccess(settings.scripts);
    this.#role = settings?.role && new DatabaseRole(settings.role);
  }

  /**
   * identify finds out who sent a request, from its Authorization header: at once when the token was seen before.
   * Undefined is nobody; where that is not enough (`open` is false) it throws or rejects. Errors are ServiceErrors:
   * `token_missing`, `invalid_token`, `invalid_claims`, `busy`.
   */
  identify(authorization: string, open: boolean): Caller | undefined | Promise<Caller | undefined> {
    if (this.#verifier === undefined || (open && authorization === '')) return undefined;
    if (!open) return this.#verifier.verify(readBearer(authorization));
    try {
      const caller = this.#verifier.verify(readBearer(authorization));
      return caller instanceof Promise ? caller.catch(nobody) : caller;
    } catch (error) {
      nobody(error);
      return undefined;
    }
  }

  /**
   * admit lets a caller through to a script with a method, or to anything else when there is no script. Throws
   * ServiceError `token_missing` for nobody, `permission_denied` for somebody.
   */
  admit(caller: Caller | undefined, method: string, script: QueryRoute | undefined): Admitted {
    if (this.#verifier === undefined) return EVERYBODY;
    if (this.#scripts !== undefined && script !== undefined) {
      if (caller === undefined) throw new ServiceError('token_missing');
      const { alias, folder, name } = script;
      const permitted = this.#scripts.permissions(caller.name, alias, folder, name);
      if ((permitted & permissionFor(method)) === 0) throw new ServiceError('permission_denied');
    }
    return { caller, role: this.#role?.of(caller) ?? '' };
  }

  /** registers tells whether a caller may use the registry of scripts: nobody without a name ever may. */
  registers(caller: Caller | undefined): caller is Caller {
    return caller !== undefined && caller.name !== '' && this.#registrars.has(caller.name);
  }
}

/** A path that needs no token is as open to those who send a bad one. */
function nobody(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}
