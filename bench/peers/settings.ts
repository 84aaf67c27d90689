/**
 * Settings of a peer program, from environment variables, and its processes. Throws when a variable is missing.
 */
import cluster from 'node:cluster';

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

/**
 * serveInCluster calls `serve` in each of the processes, with its share of the connections. One process alone is no cluster.
 */
export async function serveInCluster(
  { connections, processes }: PeerSettings,
  serve: (connections: number) => Promise<void> | void,
): Promise<void> {
  if (cluster.isPrimary && processes > 1) {
    for (let index = 0; index < processes; index += 1) cluster.fork();
    return;
  }
  const more = (cluster.worker?.id ?? 0) <= connections % processes;
  await serve(Math.floor(connections / processes) + (more ? 1 : 0));
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
