/**
 * Load from autocannon, in this process: for machines without wrk. It takes several times the CPU of wrk, and so all
 * rates are lower with it; the ratios stay usable.
 */
import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.js';

/** autocannonLoad drives a server; connections share one walk through the paths. */
export async function autocannonLoad(load: Load): Promise<LoadResult> {
  let position = -1;
  const next = (request: autocannon.Request): autocannon.Request => {
    position = (position + 1) % load.paths.length;
    return { ...request, path: load.paths[position]! };
  };
  const result = await autocannon({
    url: `http://127.0.0.1:${load.port}`,
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    ...(load.authorization === undefined ? {} : { headers: { authorization: load.authorization } }),
    requests: [{ method: load.method, path: load.paths[0]!, setupRequest: next }],
  });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}
