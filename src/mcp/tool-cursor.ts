/**
 * Cursors of the list of tools: the sort key of the last tool of a page, not an offset, so that tools created or dropped
 * meanwhile do not shift pages. A cursor needs no signature: it only selects a position in the caller's own list.
 */
import { INVALID_PARAMS, RpcError } from './tool.js';

/** The sort key of a tool. */
export type ListPosition =
  | readonly [kind: 'generic', name: string]
  | readonly [kind: 'script', name: string]
  | readonly [kind: 'table', alias: string, schema: string, name: string];

const LENGTHS: Readonly<Record<string, number>> = { generic: 2, script: 2, table: 4 };

/** Longest accepted cursor, characters. */
const LONGEST = 4_096;

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
