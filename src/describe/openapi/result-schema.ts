/**
 * The schemas of values in results: PostgreSQL's types as its JSON functions, and the service for the rows of changes, write
 * them. Types by the names of format_type.
 */
import { ANY, described, nullable, type Schema } from './schema.js';

const TEXT: Schema = { type: 'string' };

const TYPES: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['smallint', { type: 'integer', format: 'int16' }],
  ['integer', { type: 'integer', format: 'int32' }],
  [
    'bigint',
    {
      type: 'integer',
      format: 'int64',
      description: 'JavaScript rounds it beyond ±9007199254740991.',
    },
  ],
  [
    'numeric',
    {
      type: 'number',
      description: 'JavaScript keeps 15 digits. NaN and infinite values are strings.',
    },
  ],
  ['real', { type: 'number', format: 'float' }],
  ['double precision', { type: 'number', format: 'double' }],
  ['boolean', { type: 'boolean' }],
  ['uuid', { type: 'string', format: 'uuid' }],
  ['date', { type: 'string', format: 'date' }],
  ['timestamp with time zone', { type: 'string', format: 'date-time' }],
  [
    'timestamp without time zone',
    { type: 'string', description: 'A timestamp without time zone: YYYY-MM-DDTHH:MM:SS.' },
  ],
  ['bytea', { type: 'string', description: 'Bytes in hexadecimal, after \\x.' }],
  ['json', ANY],
  ['jsonb', ANY],
  ['record', { type: 'object' }],
  ['text', TEXT],
  ['character varying', TEXT],
  ['character', TEXT],
  ['"char"', TEXT],
  ['name', TEXT],
]);

/** Types whose JSON is a string in PostgreSQL's own form. */
const STRINGS: ReadonlySet<string> = new Set(
  (
    'bit,bit varying,box,cid,cidr,circle,citext,daterange,datemultirange,inet,int2vector,int4range,int4multirange,' +
    'int8range,int8multirange,interval,jsonpath,line,lseg,macaddr,macaddr8,money,numrange,nummultirange,oid,oidvector,' +
    'path,pg_lsn,pg_snapshot,point,polygon,refcursor,regclass,regcollation,regconfig,regdictionary,regnamespace,' +
    'regoper,regoperator,regproc,regprocedure,regrole,regtype,tid,time with time zone,time without time zone,tsquery,' +
    'tsrange,tsmultirange,tstzrange,tstzmultirange,tsvector,txid_snapshot,unknown,void,xid,xid8,xml'
  ).split(','),
);

/** resultSchema is the schema of a value that is not null. A type of the database's own may have any JSON. */
export function resultSchema(type: string): Schema {
  if (type.endsWith('[]'))
    return { type: 'array', items: nullable(resultSchema(type.slice(0, -2))) };
  const known = TYPES.get(type);
  if (known !== undefined) return known;
  return described(STRINGS.has(type) ? TEXT : ANY, `SQL type ${type}`);
}
