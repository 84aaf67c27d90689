/**
 * Load from autocannon, in this process, for machines without wrk. It needs several times the CPU of wrk, so that all rates
 * are lower; ratios remain meaningful.
 */
import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** autocannonLoad loads a server; all connections take requests from one sequence. */
export async function autocannonLoad(load: Load): Promise<LoadResult> {
  const first = load.requests[0]!;
  let position = -1;
  const next = (request: autocannon.Request): autocannon.Request => {
    position = (position + 1) % load.requests.length;
    const { method, path, body } = load.requests[position]!;
    if (body === undefined) return { ...request, method, path };
    return { ...request, method, path, body, headers: { ...request.headers, ...JSON_TYPE } };
  };
  const result = await autocannon({
    url: `http://127.0.0.1:${load.port}`,
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    ...(load.authorization === undefined ? {} : { headers: { authorization: load.authorization } }),
    requests: [{ method: first.method, path: first.path, setupRequest: next }],
  });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}
