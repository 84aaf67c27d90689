/** `POST /auth`: passes logins on, with the address that their attempts are counted by. */
import type { ClientAddress } from '../../../access/logins/client-address.js';
import type { Login } from '../../../access/logins/login.js';
import { JSON_BODY } from '../../../messages/batch.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RequestTable } from '../transport/request-table.js';
import type { BodyRule, Route } from '../transport/route.js';

/** Largest body of a login (bytes): short, because its caller is not identified. */
const LOGIN_BODY = 16_384;

/** The path of logins, after the context. */
export const LOGIN_PATH = '/auth';

/** loginBody is the rule for bodies of logins; `keep` tells whether they have the credentials. */
export function loginBody(maxBody: number, keep: boolean): BodyRule {
  return { methods: ['POST'], limit: Math.min(maxBody, LOGIN_BODY), keep };
}

export function loginRoute(
  rule: BodyRule,
  requests: RequestTable,
  clients: ClientAddress,
  login: Login,
): Route {
  const handle = (request: HttpRequest): void => {
    if (!requests.allowsMethod(request, ['POST'])) return;
    const { authorization, body, forwardedFor, requestId, response } = request;
    const peer = Buffer.from(response.res.getRemoteAddressAsText()).toString('latin1');
    const address = clients.of(peer, forwardedFor);
    const done = login.respond({ authorization, body, address, requestId });
    requests.whenDone(request, done, (json) => requests.respond(request, 200, JSON_BODY, json));
  };
  return { token: 'ignored', body: rule, handle };
}
