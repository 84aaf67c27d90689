/** Tables and columns as the catalog has them. */
import type { Column, Table } from '#app/mcp/tables/table.js';

/** column is a column of text that may be NULL, with other members where a test names them. */
export function column(name: string, members: Partial<Column> = {}): Column {
  return {
    name,
    type: 'text',
    kind: 'string',
    labels: undefined,
    position: 1,
    nullable: true,
    maxLength: undefined,
    identity: undefined,
    generated: undefined,
    defaultValue: undefined,
    description: undefined,
    ...members,
  };
}

/** tableOf is the table `item` with these columns, with other members where a test names them. */
export function tableOf(columns: readonly Column[], members: Partial<Table> = {}): Table {
  return {
    id: '1',
    alias: 'main',
    schema: 'public',
    name: 'item',
    type: 'table',
    owner: 'postgres',
    description: undefined,
    columns,
    byName: new Map(columns.map((one) => [one.name, one])),
    keys: { primary: [], foreign: [] },
    parent: undefined,
    estimate: undefined,
    facts: { indexes: [], checks: [] },
    ...members,
  };
}
