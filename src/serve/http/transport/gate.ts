/**
 * Access control: identifies callers and checks what they may do. Without authentication everyone passes, unidentified.
 * It fails closed, and rejects callers before anything depends on whether the script they ask for exists. Only a path that
 * scripts declare is looked up first, as its permission is the script's: one of a script that the caller may not run
 * is 403, one that no script declares 404.
 */
import { permissionFor, ScriptAccess } from '../../../access/script-access.js';
import { readBearer } from '../../../access/tokens/bearer.js';
import { NOBODY, type Caller } from '../../../access/caller.js';
import { Whitelist } from '../../../access/whitelist.js';
import { DatabaseRole } from '../../../access/database-role.js';
import { refusal } from '../../../access/tokens/refusal.js';
import type { TokenVerifier } from '../../../access/tokens/token-verifier.js';
import { ServiceError } from '../../../base/errors.js';
import { isLocalPage } from '../../../base/this-machine.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { DocumentReader } from '../../../messages/tasks.js';
import type { HttpRequest } from './http-request.js';
import type { DeclaredPath, ScriptPath } from './path.js';
import type { TokenRule } from './route.js';

/** An Authorization header with a scheme alone. */
const NO_TOKEN = /^bearer *$/i;

/** Methods that change nothing. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

const FOREIGN_PAGE =
  'web pages of this origin may not make changes: add it to cors.alloworigin in the configuration';

export class Gate {
  readonly #verifier: TokenVerifier | undefined;
  readonly #scripts: ScriptAccess | undefined;
  readonly #role: DatabaseRole | undefined;
  readonly #whitelist: Whitelist;
  readonly #registrars: ReadonlySet<string>;
  readonly #refusesInvalid: boolean;
  /** Web pages that may make changes without authentication; undefined with authentication. */
  readonly #writers: PageOrigins | undefined;

  /** `verifier` checks tokens; undefined without authentication. */
  constructor(
    { auth, registry, cors }: Pick<HttpSettings, 'auth' | 'registry' | 'cors'>,
    verifier: TokenVerifier | undefined,
  ) {
    this.#verifier = verifier;
    this.#whitelist = new Whitelist(auth?.whitelist ?? []);
    this.#registrars = new Set(registry?.admins);
    this.#refusesInvalid = auth?.refusesInvalid ?? false;
    this.#scripts = auth?.scripts && new ScriptAccess(auth.scripts);
    this.#role = auth?.role && new DatabaseRole(auth.role);
    if (auth === undefined) this.#writers = new PageOrigins(cors?.origins ?? []);
  }

  /**
   * identify finds the caller of an Authorization header, without waiting when the token was verified before. Undefined
   * means unidentified; unless that suffices (`optional`, see `auth.invalid_token`) it throws or rejects with ServiceError:
   * `token_missing`, `invalid_token`, `invalid_claims`, `busy`.
   */
  identify(
    authorization: string,
    optional: boolean,
  ): Caller | undefined | Promise<Caller | undefined> {
    if (this.#verifier === undefined || (optional && authorization === '')) return undefined;
    if (!optional || (this.#refusesInvalid && !NO_TOKEN.test(authorization)))
      return this.#verifier.verify(tokenOf(authorization));
    try {
      const caller = this.#verifier.verify(tokenOf(authorization));
      return caller instanceof Promise ? caller.catch(unidentified) : caller;
    } catch (error) {
      unidentified(error);
      return undefined;
    }
  }

  /** tokenFor tells whether a path needs a token; it is decoded and without the context. */
  tokenFor(path: string): TokenRule {
    return this.#whitelist.has(path) ? 'optional' : 'required';
  }

  tokenForCall(path: ScriptPath | DeclaredPath): TokenRule {
    if (path.kind === 'declared') return this.#tokenForSegments(path.segments);
    const segments = [path.alias, path.folder, path.name].filter((part) => part !== undefined);
    return this.tokenFor(`/_QUERIES/${segments.join('/')}`);
  }

  /** The segments of the path as the whitelist sees them: decoded, but for slashes, which would make it another path. */
  #tokenForSegments(segments: readonly string[]): TokenRule {
    try {
      const path = segments.map((one) =>
        one.includes('%') ? decodeURIComponent(one).replaceAll('/', '%2F') : one,
      );
      return this.tokenFor(`/${path.join('/')}`);
    } catch {
      return 'required';
    }
  }

  /** checkOrigin throws `permission_denied` when a web page of another origin makes a change without authentication. */
  checkOrigin({ method, origin }: HttpRequest): void {
    if (origin === '' || this.#writers === undefined || READS.has(method)) return;
    if (!this.#writers.allows(origin)) throw new ServiceError('permission_denied', FOREIGN_PAGE);
  }

  /**
   * admit returns the database role that a caller's statements run under, empty for the connection's. Throws
   * ServiceError `permission_denied`.
   */
  admit(caller: Caller | undefined): string {
    return this.#role?.of(caller) ?? '';
  }

  readerOf(caller: Caller | undefined): DocumentReader {
    const isAdmitted = this.#isAdmitted(caller);
    const { name, scopes } = caller ?? NOBODY;
    return { name, scopes, isIdentified: caller !== undefined, isAdmitted };
  }

  /** Whether there is a role for a caller's statements. */
  #isAdmitted(caller: Caller | undefined): boolean {
    try {
      this.admit(caller);
      return true;
    } catch (error) {
      unidentified(error);
      return false;
    }
  }

  /**
   * admitToScript also checks whether the caller may run a script with a method. Throws ServiceError `token_missing` for
   * callers who are not identified, `permission_denied` for others.
   */
  admitToScript(
    caller: Caller | undefined,
    method: string,
    alias: string,
    folder: string,
    name: string,
  ): string {
    if (this.#scripts !== undefined) {
      if (caller === undefined) throw new ServiceError('token_missing');
      const needed = permissionFor(method);
      if ((this.#scripts.permissions(caller, alias, folder, name) & needed) === 0) {
        const scope = this.#scripts.scopeFor(caller, needed, alias, folder, name);
        const message = scope === undefined ? undefined : `the token lacks the scope ${scope}`;
        throw new ServiceError('permission_denied', message, { scope });
      }
    }
    return this.admit(caller);
  }

  /** isRegistrar tells whether a caller may use the registry of scripts: never one without a name. */
  isRegistrar(caller: Caller | undefined): caller is Caller {
    return caller !== undefined && caller.name !== '' && this.#registrars.has(caller.name);
  }
}

/** tokenOf reads the token of a user. Throws as readBearer, which counts nothing, as it also reads the token of metrics. */
function tokenOf(authorization: string): string {
  try {
    return readBearer(authorization);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw refusal(error.code === 'token_missing' ? 'missing' : 'malformed');
  }
}

/** Where a token is optional, an invalid one counts as none. Throws other errors than ServiceError. */
function unidentified(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

/**
 * Which web pages may use routes that need no token. A browser sends requests for any page that its user visits, also to
 * this machine and the local network; the Origin header names the origin of the page.
 */
export class PageOrigins {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;

  /** `origins` are on other machines; `*` stands for any. */
  constructor(origins: readonly string[]) {
    this.#any = origins.includes('*');
    this.#origins = new Set(origins);
  }

  /** `origin` is the Origin header, or empty. */
  allows(origin: string): boolean {
    return origin === '' || this.#any || this.#origins.has(origin) || isLocalPage(origin);
  }
}
