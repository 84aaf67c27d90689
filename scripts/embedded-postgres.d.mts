export interface EmbeddedOptions {
  /** Name of a cluster that is kept between starts; without it the cluster is new and removed by stop. */
  readonly keep?: string;
  /** Folder of a server's programs, instead of those of TEST_POSTGRES_BIN and of the npm package. */
  readonly bin?: string;
  /** TCP port on 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** Whether to listen on a unix socket too, in `socketFolder`. */
  readonly socket?: boolean;
  /** Settings of postgresql.conf. A cluster that is not kept has fsync off unless set here. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /**
   * Files for the data directory, readable by the server only: certificates, pg_hba.conf. Those that are functions are made
   * once the data directory is there.
   */
  readonly files?: Readonly<Record<string, string | (() => Promise<string>)>>;
  /** Data directory of another server, which is copied: one that is stopped, or in backup mode. */
  readonly copyOf?: string;
  /** Prints a line about a step that takes time. */
  readonly say?: (line: string) => void;
}

/** A running server. */
export interface EmbeddedServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** postgres:// URL with the password. */
  readonly url: string;
  /** Folder of the unix socket, when requested. */
  readonly socketFolder: string | undefined;
  readonly dataDir: string;
  readonly logFile: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  readonly running: boolean;
  /** stop ends the server, and removes its data unless kept. Connections are cut. */
  stop(): Promise<void>;
  /** kill ends the postmaster with SIGKILL; the data stays for restart. */
  kill(): Promise<void>;
  /** restart starts the server on the same data and port, ending it first when it runs. */
  restart(): Promise<void>;
}

/**
 * start starts a server and waits until it takes connections. It ends with the calling process, however that ends.
 * Rejects with the end of the server's log; code `EMBEDDED_IN_USE` when another process has the kept cluster open.
 */
export function start(options?: EmbeddedOptions): Promise<EmbeddedServer>;
