/**
 * What belongs to the table of scripts, in its schema: the history, the function of the triggers, the triggers. A name
 * that is too long for PostgreSQL, which would cut it, is cut here and told apart by a hash.
 */
import { createHash } from 'node:crypto';
import { identifier, qualifiedName } from '../pg/quote.js';
import type { ScriptsTable } from '../protocol.js';

/** Longest name that PostgreSQL keeps, bytes. */
const LONGEST = 63;

/** Names are quoted; those with a schema are qualified. */
export interface Names {
  readonly table: string;
  readonly history: string;
  /** Name of the history, as it is. */
  readonly historyName: string;
  /** Function of the triggers. */
  readonly changed: string;
  /** Name of the function and of the trigger on rows, as it is. */
  readonly changedName: string;
  /** Name of the trigger on TRUNCATE, as it is. */
  readonly truncatedName: string;
}

/** namesOf names what belongs to a table. */
export function namesOf(table: ScriptsTable): Names {
  const historyName = nameOf(table.table, '_history');
  const changedName = nameOf(table.table, '_changed');
  const qualified = (name: string): string => qualifiedName({ schema: table.schema, table: name });
  return {
    table: qualifiedName(table),
    history: qualified(historyName),
    historyName,
    changed: qualified(changedName),
    changedName,
    truncatedName: nameOf(table.table, '_truncated'),
  };
}

/** nameOf is a name with a suffix, of at most 63 bytes. */
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

/** list is names, quoted, with a prefix before each. */
export function list(names: readonly string[], prefix = ''): string {
  return names.map((name) => prefix + identifier(name)).join(', ');
}
