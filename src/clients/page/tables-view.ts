/** The tables that the caller may list, and their columns where the service has its endpoint for AI clients. */
import { textOf, type Client } from './client.js';
import { h } from './dom.js';
import { failureOf } from './failure.js';
import { readRows } from './rows.js';
import { rowsTable } from './rows-table.js';

export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly type: string;
}

/** The tables, or the service's error code. */
export interface Listed {
  readonly tables: readonly ListedTable[] | undefined;
  readonly code: string | undefined;
}

export async function listTables(client: Client): Promise<Listed> {
  const received = await client.read('tables?_order=schema,name');
  if (received.status !== 200) return { tables: undefined, code: failureOf(received)?.code };
  const all = JSON.parse(textOf(received)) as ListedTable[];
  return { tables: all.filter(({ type }) => type !== 'sequence'), code: undefined };
}

export function tablesView(tables: readonly ListedTable[], client: Client): HTMLElement {
  const items = tables.map((table) => {
    const { schema, name, type } = table;
    const place = h('div', { role: 'status' });
    const details = h(
      'details',
      {},
      h('summary', {}, h('code', {}, `${schema}.${name}`), ' ', h('span', { class: 'type' }, type)),
      place,
    );
    details.addEventListener('toggle', () => {
      if (details.open && place.childElementCount === 0) void showColumns(table, client, place);
    });
    return details;
  });
  return h(
    'article',
    { 'aria-labelledby': 'operation' },
    h('h1', { id: 'operation', tabindex: -1 }, 'Tables'),
    h('p', { class: 'about' }, `${tables.length} tables and views of the default database.`),
    ...items,
  );
}

async function showColumns(table: ListedTable, client: Client, place: HTMLElement): Promise<void> {
  place.textContent = 'Loading…';
  try {
    place.replaceChildren(await columnsOf(table, client));
  } catch (error) {
    place.textContent = `The columns cannot be shown: ${(error as Error).message}`;
  }
}

const TOOLS = ['service.describe_table', 'service_describe_table'];

async function columnsOf({ schema, name }: ListedTable, client: Client): Promise<HTMLElement> {
  let problem = 'the service does not describe tables';
  for (const tool of TOOLS) {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: { schema, table: name } },
    };
    const headers = [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ] as const;
    const body = { type: 'application/json', content: JSON.stringify(call) };
    const url = `${client.base}_mcp`;
    const received = await client.send({ method: 'POST', url, headers, body }, null);
    const { result, error } = parsed(textOf(received));
    const columns = result?.structuredContent?.columns;
    if (columns !== undefined) {
      const rows = columns.map(({ name, data_type, nullable, default_value, description }) => ({
        name,
        type: data_type,
        null: nullable === false ? 'not null' : '',
        default: default_value ?? '',
        description: description ?? '',
      }));
      return rowsTable(readRows(JSON.stringify(rows))!);
    }
    const text = result?.content?.[0]?.text ?? (typeof error === 'object' ? undefined : error);
    if (text !== undefined) problem = text;
  }
  throw new Error(problem);
}

interface Described {
  readonly result?: {
    readonly content?: readonly { readonly text?: string }[];
    readonly structuredContent?: {
      readonly columns?: readonly {
        readonly name: string;
        readonly data_type: string;
        readonly nullable?: boolean;
        readonly default_value?: string;
        readonly description?: string;
      }[];
    };
  };
  /** A text, or an object of JSON-RPC. */
  readonly error?: unknown;
}

function parsed(text: string): Described & { readonly error?: string | object } {
  try {
    return JSON.parse(text) as Described & { error?: string | object };
  } catch {
    return {};
  }
}
