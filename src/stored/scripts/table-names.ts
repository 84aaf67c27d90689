/**
 * The names of what belongs to the table of scripts: its history, its proofs, and the triggers with their function. PostgreSQL would
 * truncate a name that is too long; here a hash keeps truncated names distinct.
 */
import { createHash } from 'node:crypto';
import { identifier, qualifiedName } from '../../base/quote.js';
import type { ScriptsTable } from '../../messages/database-settings.js';

/** Longest name in PostgreSQL, bytes. */
const LONGEST = 63;

/** Quoted and qualified, except those called a name. */
export interface Names {
  readonly table: string;
  readonly history: string;
  readonly historyName: string;
  readonly proofs: string;
  readonly proofsName: string;
  /** The function of the triggers. */
  readonly changed: string;
  /** Name of the function and of the trigger on rows. */
  readonly changedName: string;
  readonly truncatedName: string;
}

export function namesOf(table: ScriptsTable): Names {
  const historyName = nameOf(table.table, '_history');
  const proofsName = nameOf(table.table, '_proofs');
  const changedName = nameOf(table.table, '_changed');
  const qualified = (name: string): string => qualifiedName({ schema: table.schema, table: name });
  return {
    table: qualifiedName(table),
    history: qualified(historyName),
    historyName,
    proofs: qualified(proofsName),
    proofsName,
    changed: qualified(changedName),
    changedName,
    truncatedName: nameOf(table.table, '_truncated'),
  };
}

/** nameOf gives a name with a suffix, of at most 63 bytes. */
export function nameOf(name: string, suffix: string): string {
  const whole = name + suffix;
  if (Buffer.byteLength(whole) <= LONGEST) return whole;
  const end = `_${createHash('sha256').update(name).digest('hex').slice(0, 8)}${suffix}`;
  let start = '';
  for (const character of name) {
    if (Buffer.byteLength(start + character) > LONGEST - end.length) break;
    start += character;
  }
  return start + end;
}

/** list gives quoted names, each after a prefix. */
export function list(names: readonly string[], prefix = ''): string {
  return names.map((name) => prefix + identifier(name)).join(', ');
}
