/** Foreign keys in one direction, and the names by which a call may mean them. */
import type { Column, ForeignKey, TableKeys } from './table.js';

export interface Relation {
  readonly key: ForeignKey;
  /** Whether it leads to the tables that reference a row, of which there may be several rows. */
  readonly isList: boolean;
  /** In the order in which they are preferred. */
  readonly names: readonly string[];
  /** Names that mean it if no other relation has the name. */
  readonly also: readonly string[];
}

/** outwardRelations lead to the tables that a table references. */
export function outwardRelations({ foreignKeys }: TableKeys): Relation[] {
  return foreignKeys.map((key) => {
    const { schema, name } = key.referenced;
    const columns = namesOf(key.columns);
    const names = [name, columns, `${schema}.${name}`];
    return { key, isList: false, names, also: [columns.replace(/_id$/, '')] };
  });
}

/** inwardRelations lead to the tables that reference a table. */
export function inwardRelations({ referencedBy }: TableKeys): Relation[] {
  return referencedBy.map((key) => {
    const { schema, name } = key.table;
    const columns = namesOf(key.columns);
    const names = [name, `${name}.${columns}`, `${schema}.${name}`, `${schema}.${name}.${columns}`];
    return { key, isList: true, names, also: [] };
  });
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(',');
}

/** choiceOf is the first name of a relation that means no other one. */
export function choiceOf(relation: Relation, relations: readonly Relation[]): string {
  const isUnique = (name: string): boolean =>
    relations.every((one) => one === relation || !one.names.includes(name));
  return relation.names.find(isUnique) ?? relation.names.at(-1)!;
}
