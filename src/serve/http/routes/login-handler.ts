/** `POST /auth`: passes logins on, with the address that their attempts are counted by. */
import { ClientAddress } from '../../../access/logins/client-address.js';
import { Login } from '../../../access/logins/login.js';
import { Passwords } from '../../../access/logins/password.js';
import { TokenIssuer } from '../../../access/tokens/token-issuer.js';
import { JSON_BODY } from '../../../messages/batch.js';
import { storedUsers } from '../../pool/stored-users.js';
import type { HandlerParts } from './handler-parts.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { Route, RouteSource } from '../transport/route.js';

/** Largest body of a login (bytes): short, because its caller is not identified. */
const LOGIN_BODY = 16_384;

/** The path of logins, after the context. */
export const LOGIN_PATH = '/auth';

/** loginSource serves logins, or `disabled`. */
export function loginSource(
  { settings, requests, pool, supervised, log }: HandlerParts,
  disabled: Route,
): RouteSource {
  const { auth, maxBody, trustedProxies } = settings;
  const limit = Math.min(maxBody, LOGIN_BODY);
  const body = { methods: ['POST'], limit, keep: auth?.login?.type === 'body' };
  if (auth?.login === undefined) return { routes: { [LOGIN_PATH]: { ...disabled, body } } };
  const users = storedUsers(pool);
  const tokens = new TokenIssuer(auth.tokens);
  const login = new Login(auth.login, users, supervised.attempts, new Passwords(), tokens, log);
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
