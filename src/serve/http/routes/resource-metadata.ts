/**
 * OAuth 2.0 Protected Resource Metadata (RFC 9728) of the MCP endpoint: names the authorization server that issues tokens
 * for it, so that clients can log in by themselves. Only with `jwt.wellknownurl`, which names that server.
 */
import { JSON_BODY } from '../../../messages/batch.js';
import { ServiceError, type ErrorCode } from '../../../base/errors.js';
import { fieldValue } from '../../../base/headers.js';
import type { HttpSettings } from '../../../messages/http-settings.js';
import type { HttpRequest } from '../transport/http-request.js';
import type { RequestTable } from '../transport/request-table.js';
import { RouteMetrics } from '../transport/route-metrics.js';
import type { Route, RouteSource } from '../transport/route.js';
import { MCP_PATH } from './mcp-handler.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** What follows the issuer in the URL of its configuration. */
const CONFIGURATION = /\/\.well-known\/(?:openid-configuration|oauth-authorization-server)$/;

/** A Host header that can be part of a URL. */
const HOST = /^(?:[\w.-]{1,255}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

export class ResourceMetadata implements RouteSource {
  /** By path, with the context: RFC 9728 puts the path of the endpoint last; a proxy may pass on only the context. */
  readonly rooted: Readonly<Record<string, Route>>;
  readonly #requests: RequestTable;
  readonly #issuer: string;
  /** The endpoint as clients see it; undefined if that depends on the request. */
  readonly #resource: string | undefined;
  readonly #context: string;
  readonly #secure: boolean;

  private constructor(
    { context, tls }: HttpSettings,
    requests: RequestTable,
    issuer: string,
    resource: string | undefined,
  ) {
    this.#requests = requests;
    this.#issuer = issuer;
    this.#resource = resource;
    this.#context = context;
    this.#secure = tls !== undefined;
    const name = new RouteMetrics(WELL_KNOWN);
    const route: Route = { token: 'ignored', name, handle: (request) => this.#respond(request) };
    const paths = [
      WELL_KNOWN,
      `${WELL_KNOWN}${context}${MCP_PATH}`,
      `${context}${WELL_KNOWN}`,
      `${context}${WELL_KNOWN}${MCP_PATH}`,
    ];
    this.rooted = Object.fromEntries(paths.map((path) => [path, route]));
  }

  /** of is the metadata for settings, undefined if they name no authorization server. */
  static of(settings: HttpSettings, requests: RequestTable): ResourceMetadata | undefined {
    const { auth, worker } = settings;
    if (auth === undefined || worker.mcp === undefined) return undefined;
    const { wellKnown, issuer, audience } = auth.tokens;
    if (wellKnown === undefined) return undefined;
    const named = issuer ?? (CONFIGURATION.test(wellKnown) ? wellKnown : undefined);
    if (named === undefined) return undefined;
    // Clients ask for tokens whose audience is the resource: if that is configured as a URL, it is the endpoint's.
    const resource = audience !== undefined && isUrl(audience) ? audience : undefined;
    return new ResourceMetadata(settings, requests, named.replace(CONFIGURATION, ''), resource);
  }

  /** challenge is the value of WWW-Authenticate for a request that is rejected with a code. */
  readonly challenge = (request: HttpRequest, code: ErrorCode): string => {
    const parameters = code === 'token_missing' ? [] : ['error="invalid_token"'];
    const resource = this.#resourceOf(request);
    if (resource !== undefined) parameters.push(`resource_metadata="${metadataUrl(resource)}"`);
    return ['Bearer', parameters.join(', ')].join(' ').trim();
  };

  #respond(request: HttpRequest): void {
    if (!this.#requests.allowsMethod(request, ['GET', 'HEAD'])) return;
    const resource = this.#resourceOf(request);
    if (resource === undefined) throw new ServiceError('invalid_request');
    const body = JSON.stringify({
      resource,
      authorization_servers: [this.#issuer],
      bearer_methods_supported: ['header'],
    });
    // It may repeat the Host header of this request, which must not reach others.
    request.response.addHeader('Cache-Control', 'no-store');
    this.#requests.respond(request, 200, JSON_BODY, body);
  }

  /** The URL of the endpoint; undefined if the Host header is not a host. */
  #resourceOf({ host, headers }: HttpRequest): string | undefined {
    if (this.#resource !== undefined) return this.#resource;
    if (!HOST.test(host)) return undefined;
    const [forwarded = ''] = fieldValue(headers, 'x-forwarded-proto').split(',');
    const secure = forwarded === '' ? this.#secure : forwarded.trim().toLowerCase() === 'https';
    const url = `${secure ? 'https' : 'http'}://${host}${this.#context}${MCP_PATH}`;
    return URL.canParse(url) ? url : undefined; // HOST is not all that URLs ask of a host
  }
}

/** Where a client finds the metadata: below the context, so that a proxy that passes on only that reaches it too. */
function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  const context = pathname.replace(/\/+$/, '').replace(/\/_mcp$/, '');
  return `${origin}${context}${WELL_KNOWN}${MCP_PATH}`;
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s"\\]+$/.test(text) && URL.canParse(text);
}
