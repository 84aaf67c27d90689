/** The schemas of the rows of a script, of its response without an error, and of the one value of `@scalar`. */
import type { ColumnContract } from '../contract/contract.js';
import { columnsOf, rowForms } from '../rows.js';
import type { Shape } from '../../script/head/head.js';
import { isUndecided, type ProofRecord, type RecordedCondition } from '../../messages/proofs.js';
import { resultSchema } from './result-schema.js';
import { ANY, anyOf, nullable, type Schema } from './schema.js';

/** A row of which nothing is known. */
const ROW: Schema = { type: 'object' };

/** rowSchema is the schema of a row, which may have one of several forms. */
export function rowSchema(proof: ProofRecord, reads: boolean): Schema {
  if (isUndecided(proof)) return ROW;
  return anyOf(
    rowForms(proof, reads).map(({ columns, when }) => ({
      ...(when == null || when.length === 0 ? {} : whenOf(when)),
      type: 'object',
      properties: Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)])),
      required: columns.filter(({ always }) => always).map(({ name }) => name),
    })),
  );
}

/** `x-when` is for programs that make clients. */
function whenOf(when: readonly RecordedCondition[]): Schema {
  const words = when.map(({ name, says }) => `${name} ${says}`).join(' and ');
  return { description: `When ${words}.`, 'x-when': when };
}

/** valueSchema is the schema of the one value of `@scalar`. */
export function valueSchema(proof: ProofRecord): Schema {
  if (isUndecided(proof)) return ANY;
  const first = proof.columns.flatMap((form) => columnsOf([form], isProved(proof)).slice(0, 1));
  return anyOf(first.map(columnSchema));
}

/** Whether every combination was tried. */
function isProved({ verdict }: ProofRecord): boolean {
  return verdict === 'proved';
}

/** returnsRows tells whether a script may respond with rows. */
export function returnsRows(proof: ProofRecord, reads: boolean): boolean {
  return reads || !hasAllForms(proof) || proof.columns.some((form) => form.length > 0);
}

/** Whether every form of the result is known. */
function hasAllForms(proof: ProofRecord): boolean {
  return !isUndecided(proof) && isProved(proof);
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
  proof: ProofRecord,
): Schema {
  if (shape !== 'list') return row;
  const rows: Schema = { type: 'array', items: row };
  if (reads) return rows;
  const always = hasAllForms(proof) && proof.columns.every((form) => form.length > 0);
  return {
    type: 'object',
    properties: {
      rows_affected: { type: 'integer', minimum: 0 },
      ...(returnsRows(proof, reads) ? { rows } : {}),
    },
    required: ['rows_affected', ...(always ? ['rows'] : [])],
  };
}
