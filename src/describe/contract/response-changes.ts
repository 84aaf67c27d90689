/** The changes of a script's response. A program that reads it must not meet what it could not meet before. */
import { byName, typesText, type Changes } from './change.js';
import { isReturned } from './compatible-types.js';
import type { ColumnContract, ScriptContract } from './contract.js';

export function compareResponses(old: ScriptContract, now: ScriptContract, changes: Changes): void {
  const [before, after] = [old.response, now.response];
  if (before.shape !== after.shape)
    changes.breaking(
      'shape',
      '',
      `the response is ${SHAPES[after.shape]} now, and was ${SHAPES[before.shape]}`,
    );
  if (before.status !== after.status)
    changes.breaking('status', '', `the status is ${after.status} now, and was ${before.status}`);
  for (const name of before.headers)
    if (!after.headers.includes(name))
      changes.breaking('header removed', name, `the header ${name} of the response is gone`);
  for (const name of after.headers)
    if (!before.headers.includes(name))
      changes.compatible('header added', name, `the header ${name} of the response is new`);
  compareColumns(old, now, changes);
}

const SHAPES = { list: 'a list of rows', one: 'one row', scalar: 'one value' } as const;

function compareColumns(old: ScriptContract, now: ScriptContract, changes: Changes): void {
  // One value has no name: it is no column of a row.
  const isValue = old.response.shape === 'scalar';
  if (old.columns === null || isValue !== (now.response.shape === 'scalar')) return;
  if (now.columns === null) {
    if (old.columns.length > 0)
      changes.breaking('columns unknown', '', 'the columns of the result are not known any more');
    return;
  }
  const [before, after] = [old.columns, now.columns].map((columns) =>
    isValue ? columns.map((column) => ({ ...column, name: 'value' })) : columns,
  ) as [ColumnContract[], ColumnContract[]];
  for (const [was, is] of byName(before, after)) {
    if (is === undefined)
      changes.breaking('column removed', was!.name, `the column \`${was!.name}\` is gone`);
    else if (was === undefined) {
      const when = is.always ? '' : ', in some responses';
      changes.compatible('column added', is.name, `the column \`${is.name}\` is new${when}`);
    } else compareColumn(was, is, changes);
  }
}

function compareColumn(old: ColumnContract, now: ColumnContract, changes: Changes): void {
  const { name } = now;
  const label = `the column \`${name}\``;
  const alike = isReturned(old.types, now.types);
  if (!alike || !isReturned(now.types, old.types)) {
    const message = `${label} is ${typesText(now.types)} now, and was ${typesText(old.types)}`;
    changes.add(!alike, 'column type', name, message);
  }
  if (now.nullable !== old.nullable)
    changes.add(
      now.nullable,
      'column nullable',
      name,
      `${label} can${now.nullable ? '' : 'not'} be null now`,
    );
  if (now.always !== old.always)
    changes.add(
      !now.always,
      'column always',
      name,
      `${label} is there ${now.always ? 'always' : 'only sometimes'} now`,
    );
}
