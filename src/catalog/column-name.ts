/** Names of columns in requests: from what was sent to the SQL it stands for. Refuses all that no listing knows. */
import { ServiceError } from '../errors.js';

/** What an identifier is, alone or after dots; each part at most 63 bytes. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}(?:\.[A-Za-z_][A-Za-z0-9_]{0,62})*$/;

/** isIdentifier tells whether a text has the form of a column's name. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** columnOf gives the SQL of a column. Throws ServiceError `invalid_listing` when there is none of that name. */
export function columnOf(columns: ReadonlyMap<string, string>, name: string): string {
  const column = columns.get(name);
  if (column === undefined)
    throw new ServiceError('invalid_listing', `column "${name}" does not exist`);
  return column;
}
