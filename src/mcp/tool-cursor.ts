/**
 * Where a page of the list of tools begins: behind the last tool of the page before, by its place in the order and not by
 * its number, so that tools which come and go meanwhile shift nothing. Nothing of it is trusted: it only ever says where
 * to go on in the list of whoever sends it.
 */
import { INVALID_PARAMS, RpcError } from './tool.js';

/** What the last tool was. */
export type Place =
  | readonly [kind: 'generic', name: string]
  | readonly [kind: 'script', name: string]
  | readonly [kind: 'table', alias: string, schema: string, name: string];

const LENGTHS: Readonly<Record<string, number>> = { generic: 2, script: 2, table: 4 };

/** Longest cursor that is read, characters. */
const LONGEST = 4_096;

/** cursorOf writes a place as a cursor. */
export function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** placeOf reads a cursor. Throws RpcError for what was never one. */
export function placeOf(cursor: string): Place {
  if (cursor.length > LONGEST) throw invalidCursor();
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw invalidCursor();
  }
  if (!isPlace(place) || cursorOf(place) !== cursor) throw invalidCursor();
  return place;
}

function isPlace(place: unknown): place is Place {
  if (!Array.isArray(place) || !place.every((part) => typeof part === 'string')) return false;
  const kind = place[0] ?? '';
  return Object.hasOwn(LENGTHS, kind) && LENGTHS[kind] === place.length;
}

/** invalidCursor is the error for a cursor that is none. */
export function invalidCursor(): RpcError {
  return new RpcError(
    INVALID_PARAMS,
    'invalid cursor: send nextCursor of the page before as it was, or no cursor for the first page',
  );
}
