/**
 * The table of stored scripts: what it is called, and what goes with it. Names come from the configuration and are always
 * quoted.
 */
import { identifier } from '../pg/quote.js';
import type { ScriptsTable } from '../protocol.js';

/** Channel on which changes are told; the payload is the table's qualified name. */
export const CHANNEL = 'service_scripts';

/** qualifiedName is the table's name with its schema, quoted. */
export function qualifiedName({ schema, table }: ScriptsTable): string {
  return `${identifier(schema)}.${identifier(table)}`;
}

/** A script as it is looked up: `database` is an alias, or empty for all databases. */
export interface ScriptKey {
  readonly database: string;
  readonly location: string;
  readonly name: string;
}
