/**
 * PostgreSQL's own lexer and parser (libpg-query), and what its trees say about statements that scripts must not run: an
 * independent answer to the questions that the service answers by tokens.
 */
import { loadModule, parseSync, scanSync } from 'libpg-query';

await loadModule();

/** A node of a tree: an object with one member, named by its type. */
type Tree = Readonly<Record<string, unknown>>;

/** A statement of a text; offsets in UTF-16 units, from its first token to its semicolon without white space. */
export interface ParsedStatement {
  readonly at: number;
  readonly end: number;
  /** The type of its node, and the node. */
  readonly type: string;
  readonly tree: Tree;
}

/** A word, a quoted identifier or a string, by its offsets in UTF-16 units. */
export interface ScannedToken {
  readonly start: number;
  readonly end: number;
  readonly kind: 'word' | 'quoted' | 'string' | 'number';
}

/** parsedStatements gives the statements of a text; undefined when PostgreSQL cannot parse it. */
export function parsedStatements(text: string): ParsedStatement[] | undefined {
  let stmts: readonly { stmt?: unknown; stmt_location?: number; stmt_len?: number }[];
  try {
    stmts = parseSync(text).stmts ?? [];
  } catch (error) {
    return (error as Error).message === 'Query cannot be empty' ? [] : undefined;
  }
  const offsetOf = offsets(text);
  return stmts.map(({ stmt, stmt_location: from = 0, stmt_len: length = 0 }) => {
    const [type, tree] = Object.entries(stmt as Record<string, Tree>)[0]!;
    const end = length === 0 ? text.length : offsetOf(from + length);
    const at = offsetOf(from);
    return { at, end: at + text.slice(at, end).replace(/[ \t-\r]+$/, '').length, type, tree };
  });
}

/** scannedTokens gives the tokens of a text except symbols and comments; undefined when it refuses one, or misreads it. */
export function scannedTokens(text: string): ScannedToken[] | undefined {
  let tokens: ReturnType<typeof scanSync>['tokens'];
  try {
    ({ tokens } = scanSync(text));
  } catch {
    return undefined;
  }
  const offsetOf = offsets(text);
  const found: ScannedToken[] = [];
  let prefix: number | undefined;
  for (const { tokenName, keywordName, start, end } of tokens) {
    const [from, to] = [offsetOf(start), offsetOf(end)];
    // The lexer reads N'x' as the keyword NCHAR and a string.
    if (keywordName === 'COL_NAME_KEYWORD' && to - from === 1 && text.charAt(to) === "'") {
      prefix = from;
      continue;
    }
    const kind = kindOf(tokenName, text.slice(from, to));
    const last = found.at(-1);
    if (last?.kind === 'string' && continues(text.slice(last.end, to))) return undefined;
    // A doubled quote ends a string of bits, and another begins: no statement has two, so that it makes no difference.
    const isDoubled = last?.kind === 'string' && last.end === from && /^[bx].*'$/is.test(text.slice(last.start, from + 1)); // prettier-ignore
    if (isDoubled) found.pop();
    if (kind !== undefined)
      found.push({ start: isDoubled ? last.start : (prefix ?? from), end: to, kind });
    prefix = undefined;
  }
  return found;
}

/**
 * Whether a string goes on after a comment and a line break. It does in PostgreSQL, but not here: libpg-query makes tokens of
 * comments, so that its lexer has changed.
 */
function continues(gap: string): boolean {
  return /^(?:[ \t-\r]|--[^\n\r]*[\n\r])*--[^\n\r]*[\n\r](?:[ \t-\r]|--[^\n\r]*[\n\r])*'/.test(gap);
}

function kindOf(token: string, written: string): ScannedToken['kind'] | undefined {
  if (['ICONST', 'FCONST', 'PARAM'].includes(token)) return 'number';
  if (/^(?:(?:[bex]|u&)?'|\$[^]*\$)/i.test(written)) return 'string';
  if (/^(?:u&)?"/i.test(written)) return 'quoted';
  return /^[a-z_\x80-\uffff]/i.test(written) ? 'word' : undefined;
}

/** Maps offsets in UTF-8 to offsets in UTF-16. */
function offsets(text: string): (bytes: number) => number {
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return (offset) => offset;
  return (offset) => bytes.subarray(0, offset).toString().length;
}

/** Statements that change the transaction, the session or the protocol; SET CONSTRAINTS is refused like any SET. */
const REFUSED = new Set(
  'TransactionStmt VariableSetStmt ConstraintsSetStmt DiscardStmt LoadStmt ListenStmt UnlistenStmt PrepareStmt ExecuteStmt DeallocateStmt DeclareCursorStmt FetchStmt ClosePortalStmt CopyStmt'.split(' '), // prettier-ignore
);

const SESSION_LOCKS = /^(?:pg_(?:try_)?advisory_lock(?:_shared)?|dblink_connect(?:_u)?)$/;

/** leavesState tells whether a script must not run a statement, by its tree. */
export function leavesState({ type, tree }: ParsedStatement): boolean {
  return REFUSED.has(type) || hasState({ [type]: tree });
}

function hasState(node: unknown): boolean {
  if (Array.isArray(node)) return isTemporaryName(node) || node.some(hasState);
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(([type, value]) => isState(type, value as Tree) || hasState(value)); // prettier-ignore
}

/** Whether a member of a tree makes its statement one to refuse; names of lists and plain members pass. */
function isState(type: string, node: Tree): boolean {
  switch (type) {
    case 'ExecuteStmt':
      return true;
    case 'FuncCall':
      return callsForState(node);
    case 'CreateStmt':
      return isTemporary(node['relation']) && node['oncommit'] !== 'ONCOMMIT_DROP';
    case 'CreateSeqStmt':
      return isTemporary(node['sequence']);
    case 'ViewStmt':
      return isTemporary(node['view']);
    case 'into':
    case 'intoClause':
      return isTemporary(node['rel']) && node['onCommit'] !== 'ONCOMMIT_DROP';
    case 'schemaname':
      return (node as unknown) === 'pg_temp';
    default:
      return false;
  }
}

function isTemporary(relation: unknown): boolean {
  return (relation as Tree | undefined)?.['relpersistence'] === 't';
}

function isTemporaryName(list: readonly unknown[]): boolean {
  return list.length > 1 && nameOf(list[0]) === 'pg_temp';
}

function nameOf(node: unknown): unknown {
  return (node as { String?: { sval?: string } } | undefined)?.String?.sval;
}

function callsForState(call: Tree): boolean {
  const name = String(nameOf((call['funcname'] as readonly unknown[]).at(-1)));
  if (SESSION_LOCKS.test(name)) return true;
  if (name !== 'set_config') return false;
  const third = (call['args'] as readonly Tree[] | undefined)?.[2];
  const named = third?.['NamedArgExpr'] as Tree | undefined;
  const value = (named === undefined ? third : named['arg']) as Tree | undefined;
  const constant = value?.['A_Const'] as { boolval?: { boolval?: boolean } } | undefined;
  const isLocal = named === undefined || named['name'] === 'is_local';
  return !isLocal || constant?.boolval?.boolval !== true;
}

/** Statements that commit by themselves, or that PostgreSQL refuses in a transaction block. */
const ALONE = new Set(
  'CallStmt DoStmt VacuumStmt ClusterStmt ReindexStmt CreatedbStmt DropdbStmt CreateTableSpaceStmt DropTableSpaceStmt CreateSubscriptionStmt AlterSubscriptionStmt DropSubscriptionStmt AlterSystemStmt'.split(' '), // prettier-ignore
);

/** runsAlone tells whether a statement may not be one of several, by its tree. */
export function runsAlone({ type, tree }: ParsedStatement): boolean {
  if (ALONE.has(type)) return true;
  if (type === 'IndexStmt' || type === 'DropStmt') return tree['concurrent'] === true;
  if (type === 'AlterDatabaseStmt') return JSON.stringify(tree).includes('"defname":"tablespace"');
  return type === 'AlterTableStmt' && JSON.stringify(tree).includes('"concurrent":true');
}
