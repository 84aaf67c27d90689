/** The kind of JSON values, and the maximum length of texts, for a type of PostgreSQL. */
import { sqlTypeOf } from '../../base/sql-types.js';
import type { ColumnKind } from './table.js';

/** A type from the system catalog; of a domain, its base type. */
export interface BaseType {
  readonly oid: number;
  /** pg_type.typtype: `b`, `c`, `e`, `r` … */
  readonly type: string;
  /** pg_type.typcategory: `A` for arrays. */
  readonly category: string;
  /** pg_attribute.atttypmod; negative for none. */
  readonly modifier: number;
}

const BPCHAR = 1042;
const VARCHAR = 1043;
const BIT = 1560;
const VARBIT = 1562;

export function kindOf({ oid, type, category }: BaseType): ColumnKind {
  if (category === 'A') return 'array';
  if (type === 'e') return 'enum';
  return type === 'c' ? 'json' : (sqlTypeOf(oid)?.kind ?? 'string');
}

/** maxLengthOf is the maximum length of a text in characters, or of a bit string in bits; undefined if unlimited. */
export function maxLengthOf({ oid, modifier }: BaseType): string | undefined {
  if (modifier < 0) return undefined;
  if (oid === BIT || oid === VARBIT) return String(modifier);
  // PostgreSQL includes the four bytes of the header in these modifiers.
  if (oid === BPCHAR || oid === VARCHAR) return String(modifier - 4);
  return undefined;
}
