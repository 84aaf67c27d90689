/** The schemas of the rows of a script, of its response without an error, and of the one value of `@scalar`. */
import type { ColumnContract } from '../contract/contract.js';
import { columnsOf } from '../contract/script-contract.js';
import type { Shape } from '../../script/head/head.js';
import { isUndecided, type ProofRecord, type RecordedCondition } from '../../messages/proofs.js';
import { resultSchema } from './result-schema.js';
import { ANY, anyOf, nullable, type Schema } from './schema.js';

/** A row of which nothing is known. */
const ROW: Schema = { type: 'object' };

/** Most forms of a row: a schema of more would be too long to read. */
const MOST_FORMS = 8;

/** rowSchema is the schema of a row, which may have one of several forms. */
export function rowSchema(proof: ProofRecord, reads: boolean): Schema {
  if (isUndecided(proof)) return ROW;
  // A change without columns returns no rows; a read can have rows without columns.
  const forms = proof.columns.flatMap((columns, i) =>
    reads || columns.length > 0 ? [{ columns, when: proof.columnsWhen[i] }] : [],
  );
  const isExact = isProved(proof);
  if (!isExact || forms.length > MOST_FORMS)
    return rowOf(
      forms.map(({ columns }) => columns),
      isExact,
    );
  return anyOf(
    forms.map(({ columns, when }) => {
      const row = rowOf([columns], isExact);
      return when == null || when.length === 0 ? row : { ...whenOf(when), ...row };
    }),
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
  const isExact = isProved(proof);
  const columns = proof.columns.flatMap((form) => (columnsOf([form]) ?? []).slice(0, 1));
  return anyOf(columns.map((column) => columnSchema(column, isExact)));
}

/** Whether every combination was tried: otherwise there may be a form with the columns of several others. */
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

/** A row of any of some forms. */
function rowOf(forms: ProofRecord['columns'], isExact: boolean): Schema {
  const columns = new Map((columnsOf(forms) ?? []).map((column) => [column.name, column]));
  // In the order of the statement; a name that it has twice is there once.
  const names = [...new Set(forms.flatMap((form) => form.map(({ name }) => name)))];
  const properties = names.map((name) => [name, columnSchema(columns.get(name)!, isExact)]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Schema,
    required: names.filter((name) => columns.get(name)!.always),
  };
}

function columnSchema({ types, nullable: isNullable }: ColumnContract, isExact: boolean): Schema {
  const schema = anyOf(types.map(resultSchema));
  return isNullable || !isExact ? nullable(schema) : schema;
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
