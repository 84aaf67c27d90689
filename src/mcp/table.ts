/** Tables and columns as a caller may see them. Types alone. */
import type { Call } from './call.js';

/** How values of a column are written in JSON. */
export type ColumnKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'string'
  | 'date'
  | 'time'
  | 'date-time'
  | 'uuid'
  | 'json'
  | 'array'
  | 'enum';

export interface Column {
  readonly name: string;
  /** The type as PostgreSQL writes it: `integer`, `character varying(20)`, `text[]`. */
  readonly type: string;
  readonly kind: ColumnKind;
  /** What an enumeration allows. */
  readonly labels: readonly string[] | undefined;
  readonly position: number;
  readonly nullable: boolean;
  /** Most characters, or the precision of a number; undefined where there is none. */
  readonly maxLength: string | undefined;
  readonly generated: boolean;
  readonly updatable: boolean;
  readonly defaultValue: string | undefined;
  /** Its comment. */
  readonly description: string | undefined;
}

export interface Table {
  /** The database it is in. */
  readonly alias: string;
  readonly schema: string;
  readonly name: string;
  readonly type: 'table' | 'partitioned_table' | 'view' | 'materialized_view' | 'foreign_table';
  readonly owner: string;
  readonly description: string | undefined;
  /** Those that the caller may read, in their order: at least one. */
  readonly columns: readonly Column[];
  /** The same by name. */
  readonly byName: ReadonlyMap<string, Column>;
}

/** VisibleTables are the tables of one database that a caller may read. */
export interface VisibleTables {
  /** By schema and name, in the order of their bytes. */
  readonly tables: readonly Table[];
  find(schema: string, name: string): Table | undefined;
}

/** Catalog knows all databases. */
export interface Catalog {
  /** In the order of the configuration; the first is the default one. */
  readonly databases: readonly { readonly alias: string; readonly database: string }[];
  /**
   * visible gives what a caller may see: what is held, as long as nothing says that it is not so any more. Rejects with a
   * ServiceError when the database does not tell.
   */
  visible(alias: string, call: Call): VisibleTables | Promise<VisibleTables>;
  /** renewed is visible after a look whether anything has changed: for who missed something. */
  renewed(alias: string, call: Call): Promise<VisibleTables>;
}
