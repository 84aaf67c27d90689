/**
 * Joins the header lines of a plugin's response with the service's own, so that no header occurs twice unless it is a
 * list. A plugin cannot override Date, the configured CORS permissions, and `Cache-Control: no-store` on responses to
 * tokens. By default 401 and 503 have the same headers as everywhere.
 */
import { CHALLENGE, RETRY_AFTER } from '../transport/response-head.js';

const LINE = /\r\n([^:\r]+):[^\r]*/g;
const JSON_TYPE = '\r\nContent-Type: application/json';

/**
 * joinPluginLines appends the `lines` of a plugin to `ours`; unless `typed`, the Content-Type is JSON. `cors` tells whether
 * CORS is configured.
 */
export function joinPluginLines(
  ours: string,
  lines: string,
  status: number,
  typed: boolean,
  cors: boolean,
): string {
  const names = new Set<string>();
  const stored = !ours.includes('\r\nCache-Control:');
  const kept = lines.replace(LINE, (line, field: string) => {
    const name = field.toLowerCase();
    if (name === 'date' || (name === 'cache-control' && !stored)) return '';
    if (cors && isPermission(name)) return '';
    names.add(name);
    return line;
  });
  const type = typed ? '' : JSON_TYPE;
  const challenge = status === 401 && !names.has('www-authenticate') ? CHALLENGE : '';
  const retry = status === 503 && !names.has('retry-after') ? RETRY_AFTER : '';
  return ours + kept + type + challenge + retry;
}

/** Whether a header is a CORS permission. The list of exposed headers is not: plugins may add to it. */
function isPermission(name: string): boolean {
  return name.startsWith('access-control-') && name !== 'access-control-expose-headers';
}
