/**
 * PostgreSQL's own types: their names, their OIDs (pg_type.dat), and the JSON that its JSON functions write for their values
 * ("JSON Functions and Operators" in its manual). Types of a database (enums, domains, composites) and arrays are not here.
 */

export type TypeKind = 'date-time' | 'date' | 'json' | 'record' | 'time' | 'uuid' | Plain;

/** Kinds that JSON has too. */
type Plain = 'boolean' | 'integer' | 'number' | 'string';

export type JsonType = 'any' | 'object' | Plain;

export interface SqlType {
  /** As format_type writes it. */
  readonly name: string;
  readonly kind: TypeKind;
  /** The type in JSON. Values of a `number` that JSON lacks, NaN and infinity, are strings. */
  readonly json: JsonType;
  /** The format that all values have in JSON Schema or OpenAPI: `int32`, `date`. */
  readonly format: string | undefined;
}

/** Kind, OID, format, name, and the further names that SQL has for the type. */
const TYPES: readonly (readonly [
  kind: TypeKind,
  oid: number | undefined,
  format: string | undefined,
  ...names: string[],
])[] = [
  ['boolean', 16, undefined, 'boolean', 'bool'],
  ['integer', 21, 'int16', 'smallint', 'int2'],
  ['integer', 23, 'int32', 'integer', 'int', 'int4'],
  ['integer', 20, 'int64', 'bigint', 'int8'],
  ['number', 1700, undefined, 'numeric', 'decimal'],
  ['number', 700, 'float', 'real', 'float4'],
  ['number', 701, 'double', 'double precision', 'float', 'float8'],
  ['json', 114, undefined, 'json'],
  ['json', 3802, undefined, 'jsonb'],
  ['record', undefined, undefined, 'record'],
  ['uuid', 2950, 'uuid', 'uuid'],
  ['date', 1082, 'date', 'date'],
  ['time', 1083, undefined, 'time without time zone', 'time'],
  ['time', 1266, undefined, 'time with time zone', 'timetz'],
  ['date-time', 1114, undefined, 'timestamp without time zone', 'timestamp'],
  ['date-time', 1184, 'date-time', 'timestamp with time zone', 'timestamptz'],
  ['string', 25, undefined, 'text'],
  ['string', 1043, undefined, 'character varying', 'varchar'],
  ['string', 1042, undefined, 'character', 'char', 'bpchar'],
  ['string', 18, undefined, '"char"'],
  ['string', 19, undefined, 'name'],
  ['string', 17, undefined, 'bytea'],
  ['string', 26, undefined, 'oid'],
  ['string', 142, undefined, 'xml'],
  ['string', 650, undefined, 'cidr'],
  ['string', 790, undefined, 'money'],
  ['string', 829, undefined, 'macaddr'],
  ['string', 869, undefined, 'inet'],
  ['string', 1186, undefined, 'interval'],
  ['string', 1560, undefined, 'bit'],
  ['string', 1562, undefined, 'bit varying', 'varbit'],
];

/** Rare types whose values are strings in PostgreSQL's own form. Of an extension: citext. */
const RARE =
  'box,cid,circle,citext,daterange,datemultirange,int4range,int4multirange,int8range,int8multirange,jsonpath,line,lseg,' +
  'macaddr8,numrange,nummultirange,path,pg_lsn,pg_snapshot,point,polygon,refcursor,regclass,regcollation,regconfig,' +
  'regdictionary,regnamespace,regoper,regoperator,regproc,regprocedure,regrole,regtype,tid,tsquery,tsrange,' +
  'tsmultirange,tstzrange,tstzmultirange,tsvector,txid_snapshot,unknown,void,xid,xid8';

/** The types in JSON of kinds that are not strings. */
const JSON_TYPES: Partial<Record<TypeKind, JsonType>> = {
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  json: 'any',
  record: 'object',
};

const BY_NAME = new Map<string, SqlType>();
const BY_OID = new Map<number, SqlType>();

for (const [kind, oid, format, ...names] of [
  ...TYPES,
  ...RARE.split(',').map((name) => ['string', undefined, undefined, name] as const),
]) {
  const type: SqlType = { name: names[0]!, kind, json: JSON_TYPES[kind] ?? 'string', format };
  for (const name of names) BY_NAME.set(name, type);
  if (oid !== undefined) BY_OID.set(oid, type);
}

/** sqlType finds a type by any of its names; undefined for an unknown one. */
export function sqlType(name: string): SqlType | undefined {
  return BY_NAME.get(name);
}

/** sqlTypeOf finds a type by its OID; undefined for a record, and for rare types. */
export function sqlTypeOf(oid: number): SqlType | undefined {
  return BY_OID.get(oid);
}

/** bareType is the name of a type as it is written in SQL, without its schema pg_catalog and its modifiers in parentheses. */
export function bareType(written: string): string {
  return written.replace(/ ?\(.*?\)/, '').replace(/^pg_catalog\./, '');
}

/** fullType is the name of a type as format_type writes it. */
export function fullType(written: string): string {
  const [, name = '', brackets = ''] = /^(.*?)((?:\[\])*)$/.exec(bareType(written))!;
  return (sqlType(name)?.name ?? name) + brackets;
}
