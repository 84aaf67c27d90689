/**
 * Statements that may not be among several: what commits by itself, and what PostgreSQL cannot run in a transaction block
 * (PreventInTransactionBlock in its source). They are found by their words, because PostgreSQL runs one that is the first of
 * its segment, and commits it before the others, and older versions do so with any of them.
 */
import { END, SqlScanner, WORD } from '../../template/sql-scanner.js';

const COMMITS = 'may commit what precedes it';
const NO_BLOCK = 'cannot run in a transaction block';

/** First words of statements in which a procedure may COMMIT or ROLLBACK. */
export const COMMITTING: ReadonlySet<string> = new Set(['CALL', 'DO']);

/** First words, each with the reason. ANALYZE, CLUSTER, REINDEX and REPACK commit after each table, if there are several. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ...[...COMMITTING, 'ANALYSE', 'ANALYZE', 'CLUSTER', 'REINDEX', 'REPACK'].map(
    (word): [string, string] => [word, COMMITS],
  ),
  ['VACUUM', NO_BLOCK],
]);

/** Second words after CREATE, ALTER and DROP. */
const OBJECTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['CREATE', new Set(['DATABASE', 'SUBSCRIPTION', 'TABLESPACE'])],
  ['ALTER', new Set(['SUBSCRIPTION', 'SYSTEM'])],
  ['DROP', new Set(['DATABASE', 'SUBSCRIPTION', 'TABLESPACE'])],
]);

export interface Commits {
  /** The statement by its words. */
  readonly what: string;
  readonly reason: string;
}

/** commitsAlone tells why a statement, which begins with the word `first` (upper case), may not be among several. */
export function commitsAlone(sql: string, first: string): Commits | undefined {
  const reason = REASONS.get(first);
  if (reason !== undefined) return { what: first, reason };
  const objects = OBJECTS.get(first);
  if (objects === undefined) return undefined;
  const scanner = new SqlScanner(sql);
  let words = 0;
  let ofDatabase = false;
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    if (kind !== WORD) continue;
    const word = scanner.end - scanner.start > LONGEST ? '' : scanner.value().toUpperCase();
    let refused = word === 'CONCURRENTLY' || (ofDatabase && word === 'TABLESPACE');
    if (words++ === 1) {
      refused = objects.has(word);
      ofDatabase = first === 'ALTER' && word === 'DATABASE';
    }
    if (refused) return { what: `${first} ${word}`, reason: NO_BLOCK };
  }
  return undefined;
}

/** Longest of the words: longer ones are not compared. */
const LONGEST = 'SUBSCRIPTION'.length;
