/** Statements on which those behind them depend. */
import { END, SqlScanner, WORD } from '../template/sql-scanner.js';
import { firstWord } from './statement/statement.js';

/**
 * isDefinition tells whether later statements may depend on what this one creates, changes or sets: they cannot be parsed
 * until it has run.
 */
export function isDefinition(sql: string): boolean {
  const first = firstWord(sql) ?? '';
  return DEFINITIONS.has(first) || (SELECTS.has(first) && (makesTable(sql) || setsNames(sql)));
}

const DEFINITIONS: ReadonlySet<string> = new Set(['ALTER', 'CREATE', 'DROP', 'IMPORT']);
/** May have an INTO that creates a table. */
const SELECTS: ReadonlySet<string> = new Set(['SELECT', 'WITH']);

/** Whether there is an INTO that does not belong to INSERT or MERGE. */
function makesTable(sql: string): boolean {
  let before = '';
  const scanner = new SqlScanner(sql);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    const word = kind === WORD ? scanner.value().toUpperCase() : '';
    if (word === 'INTO' && before !== 'INSERT' && before !== 'MERGE') return true;
    before = word;
  }
  return false;
}

/** Whether set_config may set what names and privileges mean: the search path, or the role. */
function setsNames(sql: string): boolean {
  const calls = sql.match(/\bset_config\s*\(\s*(?:'[^']*')?/gi) ?? [];
  return calls.some((call) => !/'[^']*'$/.test(call) || /'(?:search_path|role)'$/i.test(call));
}
