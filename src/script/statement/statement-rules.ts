/**
 * Statements that scripts must not run on a shared connection: those that begin or end transactions, or leave session
 * state behind. Refuses statements by their first word, and other ways to session state as far as tokens show them. This
 * guards against mistakes of script authors; the body of a database function is not checked.
 */
import { ServiceError } from '../../base/errors.js';
import {
  END,
  NUMBER,
  QUOTED,
  SqlScanner,
  STRING,
  SYMBOL,
  WORD,
} from '../../template/sql-scanner.js';

const TRANSACTION = 'each script is a transaction of its own';
const SETTING = 'a session setting would hold for the requests of others on the same connection';
const PREPARED = 'prepared statements belong to the connection, not to a script';
const CURSOR = 'cursors do not outlive the script, and one WITH HOLD stays on the connection';

/**
 * First words that are refused, each with the reason. NOTIFY, LOCK, CHECKPOINT, VACUUM, CALL and DO are allowed: they leave
 * nothing behind on the connection, and PostgreSQL reports those that cannot run in a transaction.
 */
export const REFUSED_WORDS: ReadonlyMap<string, string> = new Map([
  ['ABORT', TRANSACTION],
  ['BEGIN', TRANSACTION],
  ['COMMIT', TRANSACTION],
  ['END', TRANSACTION],
  ['RELEASE', TRANSACTION],
  ['ROLLBACK', TRANSACTION],
  ['SAVEPOINT', TRANSACTION],
  ['START', TRANSACTION],
  ['SET', SETTING],
  ['RESET', SETTING],
  ['DISCARD', SETTING],
  ['LOAD', 'a library that is loaded stays in the connection'],
  ['LISTEN', 'notifications would arrive on a connection where nobody reads them'],
  ['UNLISTEN', 'there is nothing a script can have listened to'],
  ['PREPARE', PREPARED],
  ['EXECUTE', PREPARED],
  ['DEALLOCATE', PREPARED],
  ['DECLARE', CURSOR],
  ['FETCH', CURSOR],
  ['MOVE', CURSOR],
  ['CLOSE', CURSOR],
  ['COPY', 'a copy changes the state of the protocol, which a pipeline cannot do'],
]);

/** Functions that leave state on the connection with any arguments. */
const REFUSED_CALLS: ReadonlyMap<string, string> = new Map([
  ...[
    'pg_advisory_lock',
    'pg_advisory_lock_shared',
    'pg_try_advisory_lock',
    'pg_try_advisory_lock_shared',
  ].map((name): [string, string] => [
    name,
    'a session lock stays on the connection; take one of the pg_advisory_xact_lock functions',
  ]),
  ['dblink_connect', 'the connection it opens stays'],
  ['dblink_connect_u', 'the connection it opens stays'],
]);

/** The tokens of a text are checked only if it contains one of these. Searching is faster than matching a pattern. */
const SUSPICIOUS = ['set_config', 'advisory_lock', 'temp', 'dblink_connect'];
const SUSPICIOUS_WORDS = /set_config|advisory_lock|pg_temp|\btemp(?:orary)?\b|dblink_connect/i;

function isSuspicious(text: string): boolean {
  const lower = text.toLowerCase();
  return SUSPICIOUS.some((part) => lower.includes(part)) && SUSPICIOUS_WORDS.test(text);
}

/** Words that may follow INTO when `temp` is the name of the target. */
const AFTER_TARGET = new Set(
  'from where group having order limit offset fetch for union intersect except window'.split(' '),
);

interface Token {
  readonly kind: number;
  /** Lower case for words, content for quoted identifiers, the character for symbols, 0 for numbers, else ''. */
  readonly value: string;
}

/**
 * checkStatement throws ServiceError `statement_not_allowed` for a statement that a script may not run.
 * `first` is the statement's first word in upper case, or '' when it begins with something else.
 */
export function checkStatement(text: string, first: string): void {
  const reason = REFUSED_WORDS.get(first);
  if (reason !== undefined) throw refused(first, reason);
  if (isSuspicious(text)) checkTokens(tokensOf(text));
  if (first === 'EXPLAIN' || first === 'CREATE') {
    const tokens = tokensOf(text);
    const start = tokens.findIndex(({ kind }) => kind === WORD); // firstWord skips what comes before
    checkExecute(tokens, start);
  }
  if (first === 'DO') checkBlocks(text);
}

function refused(what: string, reason: string): ServiceError {
  const message = `statement is not allowed in a script: ${what}`;
  return new ServiceError('statement_not_allowed', message, { detail: reason });
}

function tokensOf(text: string): Token[] {
  const scanner = new SqlScanner(text);
  const tokens: Token[] = [];
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    let value = '';
    if (kind === WORD) value = scanner.value().toLowerCase();
    else if (kind === QUOTED) value = scanner.value().slice(1, -1);
    else if (kind === SYMBOL) value = scanner.value();
    else if (kind === NUMBER) value = '0';
    tokens.push({ kind, value });
  }
  return tokens;
}

function checkTokens(tokens: readonly Token[]): void {
  const value = (i: number) => tokens[i]?.value ?? '';
  let temporary = 0;
  let dropped = 0;
  for (let i = 0; i < tokens.length; i++) {
    const { kind, value: name } = tokens[i]!;
    if (kind !== WORD && kind !== QUOTED) continue;
    if (value(i + 1) === '(') {
      const reason = REFUSED_CALLS.get(name);
      if (reason !== undefined) throw refused(name, reason);
      if (name === 'set_config' && !isLocal(tokens, i + 2)) {
        throw refused('set_config', `${SETTING}; its third argument must be the constant true`);
      }
    }
    if (name === 'pg_temp' && value(i + 1) === '.') throw refused('pg_temp', TEMPORARY);
    if (kind !== WORD) continue;
    if (name === 'create' && isTemporary(value(temporaryAt(tokens, i + 1)))) temporary++;
    if (name === 'into' && value(i - 1) !== 'insert' && value(i - 1) !== 'merge') {
      const at = temporaryAt(tokens, i + 1);
      const target = tokens[at + 1];
      const named =
        target?.kind === QUOTED || (target?.kind === WORD && !AFTER_TARGET.has(target.value));
      if (isTemporary(value(at)) && named) throw refused('SELECT INTO TEMP', TEMPORARY);
    }
    if (name === 'on' && value(i + 1) === 'commit' && value(i + 2) === 'drop') dropped++;
  }
  if (temporary > dropped) throw refused('CREATE TEMP', TEMPORARY);
}

/**
 * checkExecute looks for EXECUTE inside of other statements: after EXPLAIN and its options, and after the AS of CREATE
 * TABLE, which EXPLAIN may precede. The statement begins at `start`.
 */
function checkExecute(tokens: readonly Token[], start: number): void {
  const word = (i: number) => (tokens[i]?.kind === WORD ? tokens[i].value : '');
  let i = start;
  if (word(i) === 'explain') {
    i = isOpening(tokens[i + 1]) ? closingOf(tokens, i + 1) + 1 : i + 1;
    while (EXPLAIN_OPTIONS.has(word(i))) i++;
    if (word(i) === 'execute') throw refused('EXPLAIN EXECUTE', PREPARED);
  }
  if (word(i) !== 'create') return;
  do i++;
  while (TABLE_OPTIONS.has(word(i)));
  if (word(i) !== 'table') return;
  // The first AS outside of parentheses, unless it is a name after a schema; a later one may name a column.
  while (i < tokens.length && (word(i) !== 'as' || tokens[i - 1]?.value === '.'))
    i = isOpening(tokens[i]) ? closingOf(tokens, i) + 1 : i + 1;
  if (word(i + 1) === 'execute') throw refused('CREATE TABLE AS EXECUTE', PREPARED);
}

const EXPLAIN_OPTIONS = new Set(['analyze', 'analyse', 'verbose']);
const TABLE_OPTIONS = new Set(['local', 'global', 'temp', 'temporary', 'unlogged']);

function isOpening(token: Token | undefined): boolean {
  return token?.kind === SYMBOL && token.value === '(';
}

/** closingOf gives the index of the parenthesis that closes the one at `open`, or the end. */
function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const { kind, value } = tokens[i]!;
    if (kind !== SYMBOL) continue;
    if (value === '(') depth++;
    else if (value === ')' && --depth === 0) return i;
  }
  return tokens.length;
}

const TEMPORARY = 'a temporary object stays on the connection';

function isTemporary(word: string): boolean {
  return word === 'temp' || word === 'temporary';
}

/** temporaryAt skips the words that are allowed between CREATE or INTO and TEMP. */
function temporaryAt(tokens: readonly Token[], from: number): number {
  let i = from;
  while (['or', 'replace', 'local', 'global'].includes(tokens[i]?.value ?? '')) i++;
  return i;
}

/** isLocal tells whether the third argument of the call whose arguments begin at `from` is the constant true. */
function isLocal(tokens: readonly Token[], from: number): boolean {
  let depth = 0;
  let commas = 0;
  const third: Token[] = [];
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.value === '(' || token.value === '[') depth++;
    else if (token.value === ']') depth--;
    else if (token.value === ')') {
      if (depth === 0) break;
      depth--;
    } else if (token.value === ',' && depth === 0) {
      commas++;
      continue;
    }
    if (commas === 2) third.push(token);
  }
  const last = third.pop();
  const name = third.map(({ value }) => value).join('');
  return last?.kind === WORD && last.value === 'true' && /^(?:is_local(?:=>|:=))?$/.test(name);
}

/** checkBlocks checks the code of a DO statement, which is a string in SQL. */
function checkBlocks(text: string): void {
  const scanner = new SqlScanner(text);
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    if (kind !== STRING || text.charAt(scanner.start) !== '$') continue;
    const tag = text.indexOf('$', scanner.start + 1) + 1 - scanner.start;
    const tokens = tokensOf(text.slice(scanner.start + tag, scanner.end - tag));
    checkTokens(tokens);
    tokens.forEach((token, i) => {
      const before = tokens[i - 1]?.value ?? ';';
      if (token.kind !== WORD || !BLOCK_STARTS.has(before)) return;
      checkExecute(tokens, i);
      const word = token.value.toUpperCase();
      const reason = BLOCK_WORDS.get(word);
      if (reason !== undefined && !isAllowedInBlock(word, tokens, i)) throw refused(word, reason);
    });
  }
}

/** The tokens before a statement of PL/pgSQL. */
const BLOCK_STARTS = new Set([';', 'begin', 'then', 'else', 'loop']);

/** Cursors, EXECUTE, COMMIT and ROLLBACK have another meaning in PL/pgSQL, and leave nothing behind. */
const BLOCK_WORDS = new Map(
  ['SET', 'RESET', 'DISCARD', 'LOAD', 'LISTEN', 'PREPARE', 'DEALLOCATE'].map((word) => [
    word,
    REFUSED_WORDS.get(word)!,
  ]),
);

/** SET LOCAL ends with the transaction; a word that is assigned to, or is part of an expression, is not a statement. */
function isAllowedInBlock(word: string, tokens: readonly Token[], i: number): boolean {
  const next = tokens[i + 1];
  if (next?.kind !== WORD && next?.kind !== QUOTED) return true;
  return (
    (word === 'SET' && (next.value === 'local' || next.value === 'transaction')) ||
    ['else', 'end', 'when'].includes(next.value)
  );
}
