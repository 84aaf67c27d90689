/**
 * The JSON Schema of a script's result, from the columns that its proof shows. Clients check results by it and fail a call
 * whose result does not match, so it is undefined unless all columns are known, and says nothing of a value whose form
 * depends on more than the name of its type. It is for programs, and kept short.
 */
import { isUndecided, type ProofRecord, type RecordedColumn } from '../../messages/proofs.js';

type Json = Readonly<Record<string, unknown>>;

/** Most columns of a form, and most forms of a result: a schema of more is not worth its length. */
const MOST_COLUMNS = 100;
const MOST_FORMS = 8;

/** outputSchema gives the schema of `{rows, count, truncated?, notice?}`. */
export function outputSchema(proof: ProofRecord): Json | undefined {
  const { verdict, columns: forms } = proof;
  if (isUndecided(proof) || forms.some(({ length }) => length > MOST_COLUMNS)) return undefined;
  const all = forms.map((form) => formOf(form));
  // Without every combination, there may be a form with the columns of several others.
  const isExact = verdict === 'proved' && all.length <= MOST_FORMS;
  const rows = isExact ? all.map(rowSchema) : [rowSchema(merged(all, verdict === 'proved'))];
  const [row, ...others] = new Map(rows.map((one) => [JSON.stringify(one), one])).values();
  return {
    type: 'object',
    properties: {
      rows: { type: 'array', items: others.length === 0 ? row : { anyOf: [row, ...others] } },
      count: { type: 'integer' },
      truncated: { type: 'boolean' },
      notice: { type: 'string' },
    },
    required: ['rows', 'count'],
  };
}

/** A form of the result: the types in JSON of each column, and whether it is always there. */
type Form = ReadonlyMap<string, Column>;

interface Column {
  /** Undefined for a value of any type. */
  readonly types: readonly string[] | undefined;
  readonly always: boolean;
}

/** An object has one member for columns of the same name. */
function formOf(columns: readonly RecordedColumn[]): Form {
  const form = new Map<string, Column>();
  for (const { name, type, nullable } of columns) {
    const json = jsonTypes(type);
    const types = json && (nullable === false ? json : [...json, 'null']);
    const before = form.get(name);
    form.set(name, { types: before ? either(before.types, types) : types, always: true });
  }
  return form;
}

/** One form for all: a column of any of them; `isExact` tells whether one that is never null is so in every row. */
function merged(forms: readonly Form[], isExact: boolean): Form {
  const all = new Map<string, Column>();
  for (const form of forms)
    for (const [name, { types }] of form) {
      const before = all.get(name);
      const possible = isExact ? types : either(types, NULL);
      const always = forms.every((one) => one.has(name));
      all.set(name, { types: before ? either(before.types, possible) : possible, always });
    }
  return all;
}

const NULL = ['null'];

function either(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  return a && b && [...new Set([...a, ...b])];
}

function rowSchema(form: Form): Json {
  const required = [...form].filter(([, { always }]) => always).map(([name]) => name);
  // Object.fromEntries, because a column may be called `__proto__`.
  const properties = Object.fromEntries(
    [...form].map(([name, { types }]) => [name, valueSchema(types)]),
  );
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function valueSchema(types: readonly string[] | undefined): Json {
  if (types === undefined) return {};
  return { type: types.length === 1 ? types[0] : types };
}

/**
 * The types that row_to_json gives a value of a type, by its name; undefined for any. Numbers that JSON has not (NaN), or
 * that a double does not hold, are strings. A value that is
 * cut because it is too long is a string too. A type that is not built in may be a number, an object or whatever a cast to json makes of it.
 */
function jsonTypes(type: string): readonly string[] | undefined {
  if (type.endsWith('[]')) return ['array', 'string'];
  return TYPES.get(type);
}

const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ...named(['integer'], 'smallint', 'integer'),
  ...named(['integer', 'string'], 'bigint'),
  ...named(['number', 'string'], 'numeric', 'real', 'double precision'),
  ...named(['boolean'], 'boolean'),
  ...named(['object', 'string'], 'record'),
  ...named(
    ['string'],
    ...['text', 'character varying', 'character', '"char"', 'name', 'bytea', 'uuid', 'xml'],
    ...['date', 'time without time zone', 'time with time zone', 'interval'],
    ...['timestamp without time zone', 'timestamp with time zone'],
    ...['inet', 'cidr', 'macaddr', 'macaddr8', 'bit', 'bit varying', 'money', 'oid', 'tid', 'xid'],
    ...['point', 'line', 'lseg', 'box', 'path', 'polygon', 'circle', 'tsvector', 'tsquery'],
    ...['int4range', 'int8range', 'numrange', 'tsrange', 'tstzrange', 'daterange'],
    ...['int4multirange', 'int8multirange', 'nummultirange'],
    ...['tsmultirange', 'tstzmultirange', 'datemultirange'],
    ...['jsonpath', 'pg_lsn', 'regclass', 'regtype', 'regproc', 'regrole', 'regnamespace'],
  ),
]);

function named(json: readonly string[], ...names: string[]): [string, readonly string[]][] {
  return names.map((name) => [name, json]);
}
