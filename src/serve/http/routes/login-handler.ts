/** `POST /auth`: passes logins on, with the address that their attempts are counted by. */
import { ClientAddress } from '../../../access/logins/client-address.js';
import type { Login } from '../../../access/logins/login.js';
import { JSON_BODY } from '../../../messages/batch.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RequestTable } from '../transport/request-table.js';
import type { Route, RouteSource } from '../transport/route.js';

/** Largest body of a login (bytes): short, because its caller is not identified. */
const LOGIN_BODY = 16_384;

/** The path of logins, after the context. */
export const LOGIN_PATH = '/auth';

/** loginSource serves logins; `disabled` where there is no `login`. */
export function loginSource(
  { auth, maxBody, trustedProxies }: HttpSettings,
  requests: RequestTable,
  login: Login | undefined,
  disabled: Route,
): RouteSource {
  const limit = Math.min(maxBody, LOGIN_BODY);
  const body = { methods: ['POST'], limit, keep: auth?.login?.type === 'body' };
  if (login === undefined) return { routes: { [LOGIN_PATH]: { ...disabled, body } } };
  const clients = new ClientAddress(trustedProxies);
  const handle = (request: HttpRequest): void => {
    if (!requests.allowsMethod(request, ['POST'])) return;
    const { authorization, body, forwardedFor, requestId, response } = request;
    const peer = Buffer.from(response.res.getRemoteAddressAsText()).toString('latin1');
    const address = clients.of(peer, forwardedFor);
    const done = login.respond({ authorization, body, address, requestId });
    requests.whenDone(request, done, (json) => requests.respond(request, 200, JSON_BODY, json));
  };
  return { routes: { [LOGIN_PATH]: { token: 'ignored', body, handle } } };
}
