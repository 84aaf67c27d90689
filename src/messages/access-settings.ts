/** Who may do what: tokens, logins, roles, and the permissions on scripts, tables and listings. */

/** A table in `[access]`, and what it permits. */
export interface TableEntry {
  /** As in the configuration: `table` or `schema.table`. */
  readonly name: string;
  /** Any of read, write, delete. */
  readonly permissions: readonly string[];
  /** The columns permitted; undefined, or with `*` among them, all columns. */
  readonly fields: readonly string[] | undefined;
}

/** The permissions on tables (`[access]`). */
export interface TableAccessSettings {
  /** Whether unlisted tables are denied; otherwise everything is permitted. */
  readonly restrict: boolean;
  /** For all callers. */
  readonly tables: readonly TableEntry[];
  /** A user's own entries override those for all callers. */
  readonly users: readonly { readonly name: string; readonly tables: readonly TableEntry[] }[];
  /** Tables to which `restrict` does not apply. */
  readonly ignored: readonly string[];
}

/** Scripts in `[queries]`, and what is permitted: a member that is undefined or `*` matches any. */
export interface ScriptEntry {
  readonly database: string | undefined;
  readonly location: string | undefined;
  readonly name: string | undefined;
  /** Any of read, write, delete. */
  readonly permissions: readonly string[];
  /** The scopes that a token needs for them, all of them; undefined when it needs none. */
  readonly scope?: readonly string[] | undefined;
}

/** The permissions on scripts (`queries.restrict`). */
export interface ScriptAccessSettings {
  /** For all callers. */
  readonly scripts: readonly ScriptEntry[];
  /** A user's own matching entries override those for all callers. */
  readonly users: readonly { readonly name: string; readonly scripts: readonly ScriptEntry[] }[];
}

/** The database roles that statements run under. */
export interface RoleSettings {
  /** The claim with the name of the role, or a list with one of the roles in it; dots lead into objects. */
  readonly claim: string;
  /** The roles that a claim may name. */
  readonly allowed: readonly string[];
  /** The role of callers without the claim; undefined when they are refused. */
  readonly anonymous: string | undefined;
}

export interface ExposeSettings {
  readonly databases: boolean;
  readonly schemas: boolean;
  readonly tables: boolean;
}

export interface TokenSettings {
  /** The only accepted algorithm, by its name in tokens. */
  readonly algorithm: string;
  /** A secret or a PEM: never logged. */
  readonly key: string | undefined;
  /** A key set: JSON, an absolute path or a URL. */
  readonly jwks: string | undefined;
  /** URL of an OpenID configuration, which names a key set. */
  readonly wellKnown: string | undefined;
  /** The key set that was loaded last from the same URL. Set by the supervisor; never logged. */
  readonly lastKeys: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly requireExpiry: boolean;
  /** The claim with the name of the caller; dots lead into objects. Undefined for `UserInfo.username`, else `sub`. */
  readonly nameClaim: string | undefined;
}

/** How `POST /auth` reads and checks passwords. */
export interface LoginSettings {
  readonly type: 'body' | 'basic';
  readonly encrypt: 'bcrypt' | 'md5' | 'sha1';
}

/** Authentication and authorization of callers. */
export interface AuthSettings {
  readonly tokens: TokenSettings;
  /** Regular expressions for the paths that need no token. */
  readonly whitelist: readonly string[];
  /** Whether a path in it refuses an invalid token, which otherwise counts as none there. */
  readonly refusesInvalid: boolean;
  /** Undefined when `/auth` is disabled. */
  readonly login: LoginSettings | undefined;
  /** Undefined when every caller may run every script. */
  readonly scripts: ScriptAccessSettings | undefined;
  /** Undefined when statements run as the user of the connection. */
  readonly role: RoleSettings | undefined;
}
