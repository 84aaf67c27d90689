/** A request as TypeScript that calls fetch, with the type of the response. */
import type { Operation } from './operations.js';
import { isJson } from './operations.js';
import type { PreparedBody, PreparedRequest } from './prepared-request.js';
import type { Schemas } from './schema.js';

export function typeScriptCall(
  operation: Operation,
  schemas: Schemas,
  { method, url, headers, body }: PreparedRequest,
  withToken: boolean,
): string {
  const lines = headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (withToken) lines.push('Authorization: `Bearer ${token}`');
  const options = method === 'GET' ? [] : [`method: ${JSON.stringify(method)}`];
  if (lines.length > 0) options.push(`headers: {\n    ${lines.join(',\n    ')},\n  }`);
  if (body !== undefined) options.push(`body: ${bodyText(body)}`);
  const argument = options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')},\n}`;
  const good = operation.outcomes.find(({ status }) => status.startsWith('2'));
  const type = good?.schema === undefined ? 'unknown' : schemas.typeText(good.schema);
  return `const response = await fetch(${JSON.stringify(url)}${argument});
if (!response.ok) throw new Error(await response.text());
const result = (await response.json()) as ${type};
`;
}

function bodyText({ type, content }: PreparedBody): string {
  if (typeof content !== 'string') return 'file';
  try {
    if (isJson(type)) {
      const value: unknown = JSON.parse(content);
      // A number that JavaScript would change stays in the text.
      if (JSON.stringify(value) === content.replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ''))
        return `JSON.stringify(${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')})`;
    }
  } catch {
    // Not JSON: sent as it is.
  }
  return JSON.stringify(content);
}
