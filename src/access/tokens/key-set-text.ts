/**
 * Loads the text of a key set from a file, a URL, or the URL in an OpenID configuration. It follows no redirects, limits
 * the size, and aborts on a signal. Rejects with KeySetError, or with a system error that has a code.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { KeySetError } from './key-set.js';

/** Maximum size of a key set or OpenID configuration, in bytes. */
const MAX_SIZE = 256 * 1024;

/** formOf tells whether the setting for a key set is JSON, a URL, or the path of a file. */
export function formOf(keySet: string): 'json' | 'url' | 'file' {
  if (keySet.trimStart().startsWith('{')) return 'json';
  return /^https?:/.test(keySet) ? 'url' : 'file';
}

/** fileText reads a regular file; other files are refused, because reading a pipe would block. */
export async function fileText(path: string, signal: AbortSignal): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new KeySetError('it is no regular file');
    if (stats.size > MAX_SIZE) throw tooLarge();
    const bytes = await file.readFile({ signal });
    if (bytes.length > MAX_SIZE) throw tooLarge(); // it has grown since the check
    return bytes.toString();
  } finally {
    await file.close();
  }
}

export async function urlText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(checkUrl(url), {
    signal,
    redirect: 'manual',
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new KeySetError(`the answer has status ${response.status}`);
  }
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_SIZE) throw tooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** discoveredText fetches the key set at the `jwks_uri` of the OpenID configuration at a URL. */
export async function discoveredText(url: string, signal: AbortSignal): Promise<string> {
  let configuration: unknown;
  try {
    configuration = JSON.parse(await urlText(url, signal));
  } catch (error) {
    if (error instanceof SyntaxError) throw new KeySetError('the OpenID configuration is not JSON');
    throw error;
  }
  const keys = (configuration as { jwks_uri?: unknown } | null)?.jwks_uri;
  if (typeof keys !== 'string') throw new KeySetError('the OpenID configuration has no jwks_uri');
  // Over plain http, keys could be replaced on the way.
  if (url.startsWith('https:') && checkUrl(keys).protocol !== 'https:')
    throw new KeySetError('jwks_uri leads from https to http');
  return urlText(keys, signal);
}

/** checkUrl parses a URL. Throws KeySetError when it is not http or https, or contains a user or password. */
export function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new KeySetError('the URL is not an http or https URL');
  if (url.username !== '' || url.password !== '')
    throw new KeySetError('the URL holds a user or password');
  return url;
}

function tooLarge(): KeySetError {
  return new KeySetError(`it is larger than ${MAX_SIZE / 1024} KiB`);
}
