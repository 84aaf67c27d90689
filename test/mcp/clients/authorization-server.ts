/**
 * An authorization server, node-oidc-provider (test/mcp/authorization-server), that gives tokens for any resource to its
 * client `agent` and to whoever registers. Everyone who logs in is `ann`, and consents.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { Configuration } from '../../support/service.js';

// From dist-test/test/mcp/clients to the project.
const PACKAGE = new URL(
  '../../../../test/mcp/authorization-server/node_modules/oidc-provider/lib/index.js',
  import.meta.url,
);

/** What is used of the package. */
interface Provider {
  callback(): RequestListener;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: object,
  ): Promise<void>;
  readonly Grant: new (members: object) => Grant;
}

interface Interaction {
  readonly prompt: {
    readonly name: string;
    readonly details: {
      readonly missingOIDCScope?: readonly string[];
      readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
    };
  };
  readonly params: { readonly client_id: string };
  readonly session?: { readonly accountId: string };
}

interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}

const INTERACTION = '/interaction';

export interface AuthorizationServer {
  readonly issuer: string;
  /** expired is a token that was valid, with the time of its expiry in the past. */
  readonly expired: (token: string) => string;
}

export async function startAuthorizationServer(
  t: Pick<Test, 'teardown'>,
): Promise<AuthorizationServer> {
  const { default: Oidc } = (await import(PACKAGE.href)) as {
    default: new (issuer: string, configuration: object) => Provider;
  };
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: '1' };
  const provider = new Oidc(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: ['of the test'] },
    scopes: ['openid', 'offline_access', 'read'],
    clients: [
      {
        client_id: 'agent',
        client_secret: 'a secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    interactions: { url: () => INTERACTION },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: 'read',
          audience: resource,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url !== INTERACTION) answer(request, response);
    else
      interact(provider, request, response).catch((error: unknown) =>
        response.destroy(error as Error),
      );
  });
  return { issuer, expired: (token) => expired(token, privateKey) };
}

/** Answers a page of the login or of the consent as its user would. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'ann' } });
    return;
  }
  const grant = new provider.Grant({
    accountId: session!.accountId,
    clientId: params.client_id,
  });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent });
}

function expired(token: string, key: KeyObject): string {
  const [head, payload] = token.split('.') as [string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat: number };
  const past = { ...claims, iat: claims.iat - 7_200, exp: claims.iat - 3_600 };
  const signed = `${head}.${Buffer.from(JSON.stringify(past)).toString('base64url')}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

/** guardedBy is the configuration of a service below `/api` that accepts tokens of an issuer for an audience. */
export function guardedBy(issuer: string, audience: string): Configuration {
  return {
    context: '/api',
    'http.processes': 1,
    'auth.enabled': true,
    'jwt.algo': 'RS256',
    'jwt.wellknownurl': `${issuer}/.well-known/openid-configuration`,
    'jwt.iss': issuer,
    'jwt.aud': audience,
  };
}
