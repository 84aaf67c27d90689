/**
 * What a peer program is told, and its promise to end with the benchmark. Throws when a setting is missing.
 */
import cluster from 'node:cluster';

export interface PeerSettings {
  readonly port: number;
  /** postgres:// URL. */
  readonly url: string;
  /** Most connections to PostgreSQL, of all its processes together. */
  readonly connections: number;
  readonly processes: number;
}

/** peerSettings reads BENCH_PORT, BENCH_DATABASE, BENCH_CONNECTIONS and BENCH_PROCESSES. */
export function peerSettings(): PeerSettings {
  return {
    port: Number(setting('BENCH_PORT')),
    url: setting('BENCH_DATABASE'),
    connections: Number(setting('BENCH_CONNECTIONS')),
    processes: Number(setting('BENCH_PROCESSES')),
  };
}

/** stopWithParent ends the process when the pipe on its standard input does, that is with whoever started it. */
export function stopWithParent(): void {
  if (!cluster.isPrimary) return;
  process.stdin.resume().on('end', () => process.exit());
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
