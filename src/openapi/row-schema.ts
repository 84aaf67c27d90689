/** The schemas of the rows of a script, of its response without an error, and of the one value of `@scalar`. */
import type { ColumnContract } from '../contract/contract.js';
import { columnsOf } from '../contract/script-contract.js';
import type { Shape } from '../head/head.js';
import type { ProofRecord } from '../proofs.js';
import { resultSchema } from './result-schema.js';
import { ANY, anyOf, nullable, type Schema } from './schema.js';

/** A row of which nothing is known. */
const ROW: Schema = { type: 'object' };

/** rowSchema is the schema of a row, which may have one of several forms. */
export function rowSchema(proof: ProofRecord): Schema {
  if (!isKnown(proof)) return ROW;
  return anyOf(proof.columns.filter((form) => form.length > 0).map(rowOf));
}

/** valueSchema is the schema of the one value of `@scalar`. */
export function valueSchema(proof: ProofRecord): Schema {
  if (!isKnown(proof)) return ANY;
  return anyOf(
    proof.columns.flatMap((form) => (columnsOf([form]) ?? []).slice(0, 1).map(columnSchema)),
  );
}

/** isKnown tells whether the columns of every result are known: with open points there may be others. */
export function isKnown({ open, columns }: ProofRecord): boolean {
  return open.length === 0 && columns.some((form) => form.length > 0);
}

function rowOf(form: ProofRecord['columns'][number]): Schema {
  const columns = new Map((columnsOf([form]) ?? []).map((column) => [column.name, column]));
  // In the order of the statement; a name that it has twice is there once.
  const names = [...new Set(form.map(({ name }) => name))];
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, columnSchema(columns.get(name)!)])),
    required: names,
  };
}

function columnSchema({ types, nullable: isNullable }: ColumnContract): Schema {
  const schema = anyOf(types.map(resultSchema));
  return isNullable ? nullable(schema) : schema;
}

/** responseSchema is the schema of a response; `row` is that of a row, or of the value of `@scalar`. */
export function responseSchema(
  reads: boolean,
  shape: Shape,
  row: Schema,
  { open, columns }: ProofRecord,
): Schema {
  if (shape !== 'list') return row;
  const rows: Schema = { type: 'array', items: row };
  if (reads) return rows;
  const known = open.length === 0 && columns.length > 0;
  const returns = !known || columns.some((form) => form.length > 0);
  const always = known && columns.every((form) => form.length > 0);
  return {
    type: 'object',
    properties: {
      rows_affected: { type: 'integer', minimum: 0 },
      ...(returns ? { rows } : {}),
    },
    required: ['rows_affected', ...(always ? ['rows'] : [])],
  };
}
