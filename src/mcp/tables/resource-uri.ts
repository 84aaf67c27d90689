/** URIs of tables as resources: `service://main/public/orders`, with each name percent-encoded. */
import type { Table } from './table.js';

export type TablePlace = Pick<Table, 'alias' | 'schema' | 'name'>;

export const JSON_TYPE = 'application/json';

export const URI_TEMPLATE = 'service://{database}/{schema}/{table}';

const FORM = /^service:\/\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** tableUri encodes all characters but those that are never reserved, as clients do that fill in the template (RFC 6570). */
export function tableUri({ alias, schema, name }: TablePlace): string {
  return `service://${[alias, schema, name].map(encoded).join('/')}`;
}

/** encodeURIComponent fails for a lone surrogate, which no name in the database has. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** parseTableUri returns what a URI names, in any encoding; undefined if it has another form. */
export function parseTableUri(uri: string): TablePlace | undefined {
  const parts = FORM.exec(uri)?.slice(1);
  if (parts === undefined) return undefined;
  try {
    const [alias, schema, name] = parts.map(decodeURIComponent) as [string, string, string];
    return { alias, schema, name };
  } catch {
    return undefined; // no UTF-8
  }
}
