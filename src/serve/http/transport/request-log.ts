/** What is logged of requests: a line for each, if configured, and what has failed, with the ids of the request and its trace. */
import type { Logger } from '../../../observe/log.js';
import { requestIds, type RequestIds } from '../../../observe/trace/trace-context.js';
import type { HttpRequest } from './http-request.js';
import type { RequestSpans } from './request-spans.js';

/** logAccess logs a request without its query string, which may contain personal data. `time` is milliseconds. */
export function logAccess(log: Logger, request: HttpRequest, status: number, time: number): void {
  const { method, path, user } = request;
  const ms = Math.round(time * 10) / 10;
  const who = user === '' ? undefined : { user };
  log.info(
    { method, path, status, ms, ...requestIds(request, request.trace?.ids), ...who },
    'request',
  );
}

/** logFailure logs what has failed, if that succeeds, and has the spans of the request kept. */
export function logFailure(
  { log, spans }: { readonly log: Logger; readonly spans?: RequestSpans | undefined },
  error: unknown,
  request?: HttpRequest,
  detail?: string,
): void {
  let ids: RequestIds | undefined;
  succeeds(() => {
    if (request === undefined) return;
    spans?.failed(request);
    ids = requestIds(request, request.trace?.ids);
  });
  succeeds(() => log.error({ ...ids, detail, err: error }, 'a request failed'));
}

/** succeeds runs a step of handling a failure, which must not fail itself. */
export function succeeds(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
