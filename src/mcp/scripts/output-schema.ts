/**
 * The JSON Schema of a script's result, from the columns that its proof shows. Clients check results by it and fail a call
 * whose result does not match, so it is undefined unless all columns are known, and says nothing of a value whose form
 * depends on more than the name of its type. It is for programs, and kept short.
 */
import { sqlType } from '../../base/sql-types.js';
import type { ColumnContract } from '../../describe/contract/contract.js';
import { ANY, anyOf, type Schema } from '../../describe/openapi/schema.js';
import { rowForms } from '../../describe/rows.js';
import { isUndecided, type ProofRecord } from '../../messages/proofs.js';

/** Most columns of a form: a schema of more is not worth its length. */
const MOST_COLUMNS = 100;

/** outputSchema gives the schema of `{rows, count, truncated?, notice?}`. */
export function outputSchema(proof: ProofRecord): Schema | undefined {
  if (isUndecided(proof) || proof.columns.some(({ length }) => length > MOST_COLUMNS))
    return undefined;
  const row = anyOf(rowForms(proof, true).map(({ columns }) => rowSchema(columns)));
  return {
    type: 'object',
    properties: {
      rows: { type: 'array', items: row },
      count: { type: 'integer' },
      truncated: { type: 'boolean' },
      notice: { type: 'string' },
    },
    required: ['rows', 'count'],
  };
}

function rowSchema(columns: readonly ColumnContract[]): Schema {
  const required = columns.filter(({ always }) => always).map(({ name }) => name);
  // Object.fromEntries, because a column may be called `__proto__`.
  const properties = Object.fromEntries(
    columns.map((column) => [column.name, valueSchema(column)]),
  );
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function valueSchema({ types, nullable }: ColumnContract): Schema {
  const [first = [], ...others] = types.map(jsonTypes);
  const all = new Set([...first, ...(nullable ? ['null'] : []), ...others.flat()]);
  if (all.has('any')) return ANY;
  return { type: all.size === 1 ? [...all][0] : [...all] };
}

/**
 * The types that row_to_json gives a value of a type. Numbers that JSON lacks (NaN), or that a double does not hold, are
 * strings. An object or array that is cut because it is too long is a string too. A type that is not built in may be a
 * number, an object or whatever a cast to json makes of it.
 */
function jsonTypes(type: string): readonly string[] {
  if (type.endsWith('[]')) return ['array', 'string'];
  const { json, format } = sqlType(type) ?? { json: 'any' };
  return json === 'number' || json === 'object' || format === 'int64' ? [json, 'string'] : [json];
}
