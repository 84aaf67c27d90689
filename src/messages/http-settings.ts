/** The settings of an HTTP process, and of its threads. Times are milliseconds, sizes bytes. */
import type { AuthSettings, ExposeSettings } from './access-settings.js';
import type { ProverSettings } from './prover-settings.js';
import type { TraceSettings } from './thread-settings.js';
import type { ConfiguredWorker } from './worker-settings.js';

export interface RegistrySettings {
  /** The users who may use it. */
  readonly admins: readonly string[];
}

/** Cross-origin requests of browsers. */
export interface CorsSettings {
  /** Origins, or `*`. */
  readonly origins: readonly string[];
  readonly headers: readonly string[];
  readonly methods: readonly string[];
  readonly credentials: boolean;
}

export interface PluginSettings {
  /** Folder of the libraries, absolute. */
  readonly path: string;
  /** In a process of their own, or in threads of the HTTP process. */
  readonly isolation: 'process' | 'thread';
  /** Most calls that run at the same time. */
  readonly threads: number;
  /** Time limit of one call. */
  readonly timeout: number;
  /** Largest body of a response. */
  readonly maxResponse: number;
  /** A plugin host with more resident memory is replaced. */
  readonly maxMemory: number;
  /** Names of the environment variables that a plugin host gets besides a fixed list. */
  readonly environment: readonly string[];
}

/** A certificate chain and its key (PEM). The key is never logged. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
}

/** The settings of an HTTP process. It adds the memory that its workers share with it. */
export interface HttpSettings {
  /** 0 for the first HTTP process. */
  readonly index: number;
  readonly host: string;
  readonly port: number;
  /** Prefix of all paths: empty, or `/` and segments without a trailing slash. */
  readonly context: string;
  /** Time limit of a request. */
  readonly timeout: number;
  /** How long requests in flight may still take after SIGTERM. */
  readonly grace: number;
  /** Most requests in flight; further ones get 503. */
  readonly queue: number;
  /** Largest request body; a larger one gets 413. */
  readonly maxBody: number;
  readonly threads: number;
  readonly accessLog: boolean;
  /** Whether only requests to names of this machine are served, and plugins are loaded again when they are rebuilt. */
  readonly development: boolean;
  /** Undefined when no path needs a token. */
  readonly auth: AuthSettings | undefined;
  readonly expose: ExposeSettings;
  /** Undefined when the registry of scripts is disabled. */
  readonly registry: RegistrySettings | undefined;
  readonly plugins: PluginSettings;
  /** Origins of web pages that may use `/_mcp`, besides local ones. */
  readonly mcpOrigins: readonly string[];
  /** The page `/_docs`, and whether `/` has it too; undefined when it is disabled. */
  readonly page: { readonly atRoot: boolean } | undefined;
  /** Undefined when there are no CORS headers. */
  readonly cors: CorsSettings | undefined;
  /** The token of `/metrics`; undefined when this process does not serve it. Never logged. */
  readonly metricsToken: string | undefined;
  /** Undefined when nothing is traced. */
  readonly trace: TraceSettings | undefined;
  /** Undefined for plain HTTP. Set by the supervisor, so that all HTTP processes have the same, whatever is on disk. */
  readonly tls: TlsSettings | undefined;
  /** Whether this process creates the users table once the database answers. */
  readonly migrateUsers: boolean;
  /** Proxies whose X-Forwarded-For is trusted: addresses, or networks such as 10.0.0.0/8. */
  readonly trustedProxies: readonly string[];
  /** Aliases of the databases that `/_ready` requires. */
  readonly ready: readonly string[];
  /** Whether `/_ready` requires that every script has been proved once. */
  readonly readyProof: boolean;
  /** Undefined when this process does not prove the scripts. */
  readonly prover: Omit<ProverSettings, 'connections' | 'activity' | 'metrics'> | undefined;
  readonly worker: ConfiguredWorker;
}
