/** Paths that match no route: redirects to the path without empty segments, and errors. */
import { NO_BODY } from '../../../messages/batch.js';
import type { ErrorCode } from '../../../base/errors.js';
import { encodeOdd } from '../transport/path.js';
import type { RequestTable } from '../transport/request-table.js';
import type { Route, TokenRule } from '../transport/route.js';

export class UnmatchedHandler {
  readonly #requests: RequestTable;

  constructor(requests: RequestTable) {
    this.#requests = requests;
  }

  /** notFound is 404, but 401 for callers without a token that is required. */
  notFound(token: TokenRule): Route {
    return { ...this.rejected('not_found'), token };
  }

  rejected(code: ErrorCode): Route {
    return { token: 'ignored', handle: (request) => this.#requests.reject(request, code) };
  }

  redirect(location: string): Route {
    return {
      token: 'ignored',
      handle: (request) => {
        const { method, query, response } = request;
        const status = method === 'GET' || method === 'HEAD' ? 301 : 308;
        response.addHeader('Location', location + (query === '' ? '' : `?${encodeOdd(query)}`));
        this.#requests.respond(request, status, NO_BODY, '');
      },
    };
  }
}
