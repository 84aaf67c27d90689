/**
 * Settings of a peer program, from environment variables. Throws when one is missing.
 */
export interface PeerSettings {
  readonly port: number;
  /** postgres:// URL. */
  readonly url: string;
  /** Limit of connections to PostgreSQL over all its processes. */
  readonly connections: number;
  readonly processes: number;
}

/** Reads BENCH_PORT, BENCH_DATABASE, BENCH_CONNECTIONS and BENCH_PROCESSES. */
export function peerSettings(): PeerSettings {
  return {
    port: Number(setting('BENCH_PORT')),
    url: setting('BENCH_DATABASE'),
    connections: Number(setting('BENCH_CONNECTIONS')),
    processes: Number(setting('BENCH_PROCESSES')),
  };
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
