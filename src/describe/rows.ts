/** What a script gives: the columns of its rows, which may have one of several forms. */
import type { ProofRecord, RecordedCondition } from '../messages/proofs.js';
import type { ColumnContract } from './contract/contract.js';

/** Most forms of a row that are told apart: a schema of more would be too long to read. */
const MOST_FORMS = 8;

export interface RowForm {
  readonly columns: readonly ColumnContract[];
  /** As in a ProofRecord. */
  readonly when: readonly RecordedCondition[] | null | undefined;
}

/** rowForms gives the forms of a row; `reads` tells whether the script reads. */
export function rowForms(
  { verdict, columns, columnsWhen }: ProofRecord,
  reads: boolean,
): readonly RowForm[] {
  // A change without columns returns no rows; a read can have rows without columns.
  const known = columns.map((form, i) => ({ form, when: columnsWhen[i] }));
  const forms = known.filter(({ form }) => reads || form.length > 0);
  const isExact = verdict === 'proved';
  // Without every combination, there may be a form with the columns of several others.
  if (isExact && forms.length <= MOST_FORMS)
    return forms.map(({ form, when }) => ({ columns: columnsOf([form]), when }));
  const all = forms.map(({ form }) => form);
  return [{ columns: columnsOf(all, isExact), when: null }];
}

/**
 * columnsOf merges the columns of some forms, in the order of the statement; a name that a form has twice is there once.
 * Unless `isExact`, every column may be null.
 */
export function columnsOf(forms: ProofRecord['columns'], isExact = true): ColumnContract[] {
  const names = new Set(forms.flatMap((form) => form.map(({ name }) => name)));
  return [...names].map((name): ColumnContract => {
    const found = forms.flatMap((form) => form.filter((column) => column.name === name));
    return {
      name,
      types: [...new Set(found.map(({ type }) => type))].sort(),
      nullable: !isExact || found.some(({ nullable }) => nullable !== false),
      always: forms.every((form) => form.some((column) => column.name === name)),
    };
  });
}
