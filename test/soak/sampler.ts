/** Samples of a service, from its metrics. */
import { scrape, sum, type Series } from '../support/scrape.js';
import type { Soaked } from './services.js';

/** What a service uses at a moment. Memory in bytes. */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  /** Resident memory and open descriptors of each process: `supervisor`, `http_0`, `http_1`; while a reload drains one, of both. */
  readonly memory: Readonly<Record<string, number>>;
  readonly descriptors: Readonly<Record<string, number>>;
  readonly processes: number;
  /** JavaScript heaps in use, of all threads. */
  readonly heap: number;
  /** Connections to PostgreSQL. */
  readonly connections: number;
  /** Connections of clients. */
  readonly clients: number;
  readonly prepared: number;
  readonly preparedBytes: number;
}

/** takeSample reads one. */
export async function takeSample({ metrics }: Soaked, at: number): Promise<Sample> {
  const series = await scrape(metrics);
  return {
    at,
    memory: byProcess(series, 'process_memory_usage_bytes'),
    descriptors: byProcess(series, 'process_open_file_descriptor_count'),
    processes: sum(series, 'service_http_processes'),
    heap: sum(series, 'v8js_memory_heap_used_bytes'),
    connections: sum(series, 'db_client_connection_count'),
    clients: sum(series, 'service_http_connections'),
    prepared: sum(series, 'service_pg_prepared_statements'),
    preparedBytes: sum(series, 'service_pg_prepared_statement_bytes'),
  };
}

function byProcess(series: Series, name: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, value] of series) {
    const process = key.startsWith(`${name}{`) ? /process="(\w+)"/.exec(key)?.[1] : undefined;
    if (process !== undefined) found[process] = (found[process] ?? 0) + value;
  }
  return found;
}

/** totalOf adds up what the processes of a service use. */
export function totalOf(by: Readonly<Record<string, number>>): number {
  return Object.values(by).reduce((all, one) => all + one, 0);
}
