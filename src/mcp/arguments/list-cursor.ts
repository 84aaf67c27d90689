/**
 * Cursors of the lists of tools and of resources: the sort key of the last entry of a page, not an offset, so that entries
 * created or dropped meanwhile do not shift pages. A cursor needs no signature: it only selects a position in the caller's
 * own list.
 */
import { argument } from './checked-arguments.js';
import { INVALID_PARAMS, RpcError, type Arguments } from './tool.js';

/** The sort key of a table. */
export type TablePosition = readonly [kind: 'table', alias: string, schema: string, name: string];

/** The sort key of an entry. */
export type ListPosition =
  | readonly [kind: 'generic', name: string]
  | readonly [kind: 'script', name: string]
  | TablePosition;

const LENGTHS: Readonly<Record<string, number>> = { generic: 2, script: 2, table: 4 };

/** Longest accepted cursor, characters. */
const LONGEST = 4_096;

/** cursorOf is the cursor of a request for a page, undefined for the first page. Throws RpcError if it is not a string. */
export function cursorOf(params: Arguments): string | undefined {
  const cursor = argument(params, 'cursor');
  if (cursor === undefined || typeof cursor === 'string') return cursor;
  throw new RpcError(INVALID_PARAMS, 'cursor must be a string: the nextCursor of the page before');
}

export function encodeCursor(position: ListPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** decodeCursor parses a cursor. Throws RpcError if it is invalid. */
export function decodeCursor(cursor: string): ListPosition {
  if (cursor.length > LONGEST) throw invalidCursor();
  let position: unknown;
  try {
    position = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw invalidCursor();
  }
  if (!isPosition(position) || encodeCursor(position) !== cursor) throw invalidCursor();
  return position;
}

function isPosition(position: unknown): position is ListPosition {
  if (!Array.isArray(position) || !position.every((part) => typeof part === 'string')) return false;
  const kind = position[0] ?? '';
  return Object.hasOwn(LENGTHS, kind) && LENGTHS[kind] === position.length;
}

export function invalidCursor(): RpcError {
  return new RpcError(
    INVALID_PARAMS,
    'invalid cursor: send nextCursor of the page before as it was, or no cursor for the first page',
  );
}
