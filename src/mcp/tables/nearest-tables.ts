/** The tables of a caller that are most likely meant by a name that none of them has. */
import { similar } from '../../base/nearest.js';
import type { VisibleTables } from './table.js';

/** Longest name that is compared with others, characters, and most names. */
const LONGEST = 100;
const MOST = 3;

/** nearestTables returns names with their schemas: the same name in other schemas, otherwise the nearest. */
export function nearestTables(
  { tables }: VisibleTables,
  schema: string | undefined,
  name: string,
): string[] {
  if ((schema ?? '').length + name.length > LONGEST) return [];
  const same = tables.filter((table) => table.name === name).slice(0, MOST);
  if (same.length > 0) return same.map((table) => `${table.schema}.${table.name}`);
  const ofSchema = tables.filter((table) => table.schema === schema);
  const names = (ofSchema.length > 0 ? ofSchema : tables).map((table) => table.name);
  const meant = similar(name, names);
  return (ofSchema.length > 0 ? ofSchema : tables)
    .filter((table) => table.name === meant)
    .slice(0, MOST)
    .map((table) => `${table.schema}.${table.name}`);
}
