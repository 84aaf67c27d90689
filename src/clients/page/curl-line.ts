/** A request as a line for a shell. The token is a variable: it should not get into files and histories. */
import type { PreparedRequest } from './prepared-request.js';

export function curlLine(request: PreparedRequest, withToken: boolean): string {
  const { method, url, headers, body } = request;
  const parts = [method === 'GET' ? `curl ${quote(url)}` : `curl -X ${method} ${quote(url)}`];
  if (withToken) parts.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of headers) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (typeof body?.content === 'string') parts.push(`--data-raw ${quote(body.content)}`);
  else if (body !== undefined) parts.push('--data-binary @FILE');
  return parts.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
