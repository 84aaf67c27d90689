/**
 * The endpoint's URL and the token, from environment variables. Invalid ones are rejected before anything is sent; error
 * messages do not repeat values, because a URL may contain a password. The endpoint is asked for plain names of tools,
 * unless the URL's query says otherwise.
 */
import { isCleartext } from '../../base/this-machine.js';

export interface ServerEndpoint {
  readonly url: URL;
  readonly authorization: string | undefined;
  /** Sentences to log at start. */
  readonly warnings: readonly string[];
}

/** EndpointError reports an unusable variable; its message says how to set it. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
}

/** readEndpoint reads SERVICE_MCP_URL and SERVICE_MCP_TOKEN. Throws EndpointError. */
export function readEndpoint(env: Readonly<NodeJS.ProcessEnv>): ServerEndpoint {
  const url = readUrl(env['SERVICE_MCP_URL']?.trim() ?? '');
  const authorization = readToken(env['SERVICE_MCP_TOKEN'] ?? '');
  const warnings: string[] = [];
  if (authorization !== undefined && isCleartext(url))
    warnings.push(
      `the token goes to ${url.host} unencrypted, and whoever is on the way can read it: use https`,
    );
  return { url, authorization, warnings };
}

function readUrl(text: string): URL {
  const example = 'for example http://127.0.0.1:3000/_mcp';
  if (text === '')
    throw new EndpointError(
      `SERVICE_MCP_URL is not set: give it the service's address, ${example}`,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:\/\//i.test(text))
    throw new EndpointError(
      `SERVICE_MCP_URL is no address that begins with http:// or https://, ${example}`,
    );
  if (url.username !== '' || url.password !== '')
    throw new EndpointError(
      'SERVICE_MCP_URL holds a user or a password: leave them out and put a token into SERVICE_MCP_TOKEN',
    );
  if (text.includes('#'))
    throw new EndpointError(`SERVICE_MCP_URL has a #: give it the address alone, ${example}`);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/_mcp') ? path : `${path}/_mcp`;
  // Many clients that start programs accept only plain names of tools. A query that is there stays as it is written.
  if (!url.searchParams.has('names')) url.search += `${url.search === '' ? '?' : '&'}names=plain`;
  return url;
}

function readToken(text: string): string | undefined {
  if (text === '') return undefined;
  if (/[^\x20-\x7e\t]/.test(text))
    throw new EndpointError(
      'SERVICE_MCP_TOKEN holds a line break or another character that no header can carry: set it to the token alone',
    );
  const token = text.trim().replace(/^bearer(\s+|$)/i, '');
  if (!/^\S+$/.test(token))
    throw new EndpointError(
      token === ''
        ? 'SERVICE_MCP_TOKEN holds no token: set it to one, or leave it out'
        : 'SERVICE_MCP_TOKEN holds a space: set it to the token alone',
    );
  return `Bearer ${token}`;
}
