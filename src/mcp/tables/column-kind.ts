/** The kind of JSON values, and the maximum length of texts, for a type of PostgreSQL. */
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

const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT4 = 700;
const FLOAT8 = 701;
const BPCHAR = 1042;
const VARCHAR = 1043;
const BIT = 1560;
const VARBIT = 1562;
const NUMERIC = 1700;

const KINDS: ReadonlyMap<number, ColumnKind> = new Map<number, ColumnKind>([
  [16, 'boolean'],
  [INT8, 'integer'],
  [INT2, 'integer'],
  [INT4, 'integer'],
  [FLOAT4, 'number'],
  [FLOAT8, 'number'],
  [NUMERIC, 'number'],
  [114, 'json'],
  [3802, 'json'], // jsonb
  [1082, 'date'],
  [1083, 'time'],
  [1266, 'time'], // with time zone
  [1114, 'date-time'],
  [1184, 'date-time'], // with time zone
  [2950, 'uuid'],
]);

export function kindOf({ oid, type, category }: BaseType): ColumnKind {
  if (category === 'A') return 'array';
  if (type === 'e') return 'enum';
  if (type === 'c') return 'json';
  return KINDS.get(oid) ?? 'string';
}

/** maxLengthOf is the maximum length of a text in characters, or of a bit string in bits; undefined if unlimited. */
export function maxLengthOf({ oid, modifier }: BaseType): string | undefined {
  if (modifier < 0) return undefined;
  if (oid === BIT || oid === VARBIT) return String(modifier);
  // PostgreSQL includes the four bytes of the header in these modifiers.
  if (oid === BPCHAR || oid === VARCHAR) return String(modifier - 4);
  return undefined;
}
