/**
 * Clients made with the official libraries log in by themselves: from the address they find the authorization server,
 * register there, let their user log in (authorization code with PKCE) and use the token; one that expired is renewed, and
 * one for another audience is of no use.
 */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { startPostgres } from '../../support/postgres.js';
import { startService } from '../../support/service.js';
import { guardedBy, startAuthorizationServer } from './authorization-server.js';

const ORIGIN = 'https://db.example';
const RESOURCE = `${ORIGIN}/api/_mcp`;
const CALLBACK = 'http://127.0.0.1:1/callback';

const { issuer, expired } = await startAuthorizationServer(t);
const postgres = await startPostgres(t, { setup: 'CREATE TABLE item AS SELECT 1 AS id' });
const service = await startService(t, {
  database: postgres.url,
  config: guardedBy(issuer, RESOURCE),
});

/** proxied is a fetch through the proxy of db.example. */
const proxied = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const url = String(input instanceof Request ? input.url : input);
  return fetch(url.startsWith(ORIGIN) ? new URL(url.slice(ORIGIN.length), service.url) : url, init);
};

/** browse follows redirects with cookies, as a browser does, and resolves to the address of the callback. */
async function browse(start: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  while (!url.href.startsWith(CALLBACK)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.pathname}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}

/** What a client keeps, whose user agrees to everything. `resource` is asked for instead of the endpoint's. */
class Login {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'test',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    scope: 'openid offline_access read',
  };
  /** The requests for the user's consent. */
  readonly asked: URL[] = [];
  callback: URL | undefined;
  saved: { access_token: string; token_type: string } | undefined;
  readonly validateResourceURL?: () => Promise<URL>;
  #discovered: OAuthDiscoveryState | undefined;
  #client: { client_id: string } | undefined;
  #verifier = '';

  constructor(resource?: string) {
    if (resource !== undefined) this.validateResourceURL = () => Promise.resolve(new URL(resource));
  }

  discoveryState = () => this.#discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => {
    this.#discovered = state;
  };
  clientInformation = () => this.#client;
  saveClientInformation = (client: { client_id: string }): void => {
    this.#client = client;
  };
  tokens = () => this.saved;
  saveTokens = (tokens: { access_token: string; token_type: string }): void => {
    this.saved = tokens;
  };
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  redirectToAuthorization = async (url: URL): Promise<void> => {
    this.asked.push(url);
    this.callback = await browse(url);
  };
}

interface Connection {
  connect(): Promise<void>;
  finishAuth(callback: URLSearchParams): Promise<void>;
  read(): Promise<unknown>;
  close(): Promise<void>;
}

const ADDRESS = new URL(`${RESOURCE}?names=plain`);
const ITEM = { name: 'select_table', arguments: { table: 'item' } };
const NAME = { name: 'test', version: '1' };

const CLIENTS: Readonly<Record<string, (login: Login) => Connection>> = {
  'version 1': (authProvider) => {
    const client = new OldClient(NAME);
    const transport = new OldTransport(ADDRESS, { authProvider, fetch: proxied });
    return {
      connect: () => client.connect(transport),
      finishAuth: (callback) => transport.finishAuth(callback.get('code')!),
      read: () => client.callTool(ITEM),
      close: () => client.close(),
    };
  },
  'version 2': (authProvider) => {
    const client = new NewClient(NAME);
    const transport = new NewTransport(ADDRESS, { authProvider, fetch: proxied });
    return {
      connect: () => client.connect(transport),
      finishAuth: (callback) => transport.finishAuth(callback),
      read: () => client.callTool(ITEM),
      close: () => client.close(),
    };
  },
};

for (const [version, open] of Object.entries(CLIENTS)) {
  const logIn = async (login: Login): Promise<void> => {
    const first = open(login);
    await t.rejects(first.connect(), { message: 'Unauthorized' }, version);
    await first.finishAuth(login.callback!.searchParams);
    await first.close();
  };

  t.test(`${version}: logs in, and renews its token`, async (t) => {
    const login = new Login();
    await logIn(login);
    const [asked] = login.asked;
    t.equal(asked!.origin, issuer);
    t.match(Object.fromEntries(asked!.searchParams), {
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: RESOURCE,
    });
    const connection = open(login);
    t.teardown(() => connection.close());
    await connection.connect();
    const rows = { structuredContent: { rows: [{ id: 1 }] } };
    t.match(await connection.read(), rows);
    const old = expired(login.saved!.access_token);
    login.saved = { ...login.saved!, access_token: old };
    t.match(await connection.read(), rows, 'after its token expired');
    t.not(login.saved.access_token, old);
    t.equal(login.asked.length, 1, 'its user was not asked again');
  });

  t.test(`${version}: a token for another audience`, async (t) => {
    const login = new Login('https://other.example/_mcp');
    await logIn(login);
    const answer = await service.ask('/_mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${login.saved!.access_token}` },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    t.equal(answer.status, 401);
    t.match(answer.json, { code: 'invalid_claims' });
    t.equal(
      answer.headers.get('www-authenticate'),
      `Bearer error="invalid_token", resource_metadata="${ORIGIN}/api/.well-known/oauth-protected-resource/_mcp"`,
    );
  });
}
