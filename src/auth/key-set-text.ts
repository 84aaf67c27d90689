/**
 * Where the text of a key set comes from: a file, a URL, or the URL that an OpenID configuration names. Follows no
 * redirect, takes no more than a bounded text, and gives up when its signal says so. Rejects with KeySetError, or with
 * an error of the system that has a code.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { KeySetError } from './key-set.js';

/** Largest key set or OpenID configuration, bytes. */
const MAX_SIZE = 256 * 1024;

/** formOf tells what the setting of a key set is: its JSON, a URL, or the path of a file. */
export function formOf(keySet: string): 'json' | 'url' | 'file' {
  if (keySet.trimStart().startsWith('{')) return 'json';
  return /^https?:/.test(keySet) ? 'url' : 'file';
}

/** fileText reads a file; it must be a regular one, because opening a pipe would wait for its other end. */
export async function fileText(path: string, signal: AbortSignal): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new KeySetError('it is no regular file');
    if (stats.size > MAX_SIZE) throw tooLarge();
    const bytes = await file.readFile({ signal });
    if (bytes.length > MAX_SIZE) throw tooLarge(); // it grew since
    return bytes.toString();
  } finally {
    await file.close();
  }
}

/** urlText fetches a URL. */
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

/** discoveredText fetches the key set that the OpenID configuration at a URL names (`jwks_uri`). */
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
  // Whoever sits on the way to a plain http URL could put keys of their own there.
  if (url.startsWith('https:') && checkUrl(keys).protocol !== 'https:')
    throw new KeySetError('jwks_uri leads from https to http');
  return urlText(keys, signal);
}

/** checkUrl parses a URL. Throws KeySetError for one that is not http or https, or that holds a password. */
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
