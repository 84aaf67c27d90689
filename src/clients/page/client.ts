/** Sends requests to the service that the page is from, with the token of this tab. */
import type { PreparedRequest } from './prepared-request.js';

const TOKEN = 'sql-rest-service token';

/** A response, read to its end. */
export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly type: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
  /** From the request to the end of the response, ms. */
  readonly time: number;
}

export class Client {
  /** The URL of the service, with its context and with the prefix of a proxy, and a slash at its end. */
  readonly base: string;
  #token: string;

  constructor(base: string) {
    this.base = base;
    this.#token = sessionStorage.getItem(TOKEN) ?? '';
  }

  get hasToken(): boolean {
    return this.#token !== '';
  }

  /** use keeps a token until the tab is closed; empty: none. */
  use(token: string): void {
    this.#token = token;
    if (token === '') sessionStorage.removeItem(TOKEN);
    else sessionStorage.setItem(TOKEN, token);
  }

  async send(
    { method, url, headers, body }: PreparedRequest,
    signal: AbortSignal | null,
  ): Promise<Received> {
    const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    if (this.hasToken) all.set('Authorization', `Bearer ${this.#token}`);
    const began = performance.now();
    const response = await fetch(url, {
      method,
      headers: all,
      body: body?.content ?? null,
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      status: response.status,
      statusText: response.statusText,
      type: response.headers.get('content-type') ?? '',
      headers: [...response.headers],
      bytes,
      time: performance.now() - began,
    };
  }

  /** read gets a document of the service; `target` is relative to its base. */
  read(target: string): Promise<Received> {
    return this.send(
      { method: 'GET', url: this.base + target, headers: [], body: undefined },
      null,
    );
  }
}

export function textOf({ bytes }: Received): string {
  return new TextDecoder().decode(bytes);
}
