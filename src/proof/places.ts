/**
 * The places of slots in a rendered text: what they are part of there, and with which SQL PostgreSQL may be asked about the
 * statement instead. Slots in comments do not matter.
 */
import { END, QUOTED, SqlScanner, STRING, SYMBOL, WORD } from '../template/sql-scanner.js';
import type { Slots } from './slots.js';

/**
 * `literal`: a string constant; `value`: where an expression may be; `item`: an item of ORDER BY or GROUP BY, where a
 * placeholder would be a constant; `quoted`: a string constant as such an item; `name`: part of a name, or a quoted one.
 */
export type PlaceKind = 'literal' | 'value' | 'item' | 'quoted' | 'name';

/** The token that holds one slot or several (UTF-16 units), all of which is replaced. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly kind: PlaceKind;
  readonly keys: readonly string[];
}

/** placesOf finds the places of a text. Integers need none: they are what they stand for. */
export function placesOf(text: string, slots: Slots): Place[] {
  const found: Place[] = [];
  const all = slots.in(text).filter(({ kind }) => kind !== 'number');
  if (all.length === 0) return found;
  const scanner = new SqlScanner(text);
  let before = '';
  /** Whether an item of a list begins, for each open parenthesis. */
  const lists: boolean[] = [false];
  let isItem = false;
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    const { start, end } = scanner;
    const inside = all.filter((slot) => slot.start >= start && slot.end <= end);
    if (inside.length > 0) {
      const whole = inside.length === 1 && inside[0]!.end - inside[0]!.start === end - start;
      const keys = [...new Set(inside.map(({ key }) => key))];
      found.push({ start, end, kind: kindOf(kind, whole, isItem), keys });
    }
    const token = kind === WORD ? scanner.value().toUpperCase() : '';
    const symbol = kind === SYMBOL ? text.charAt(start) : '';
    if (symbol === '(') lists.push(false);
    else if (symbol === ')' && lists.length > 1) lists.pop();
    const depth = lists.length - 1;
    if (token === 'BY') lists[depth] = before === 'ORDER' || before === 'GROUP';
    else if (ENDS_LIST.has(token)) lists[depth] = false;
    isItem = lists[depth] === true && (token === 'BY' || symbol === ',');
    before = token;
  }
  return found;
}

const ENDS_LIST: ReadonlySet<string> = new Set(
  ['SELECT', 'HAVING', 'LIMIT', 'OFFSET', 'FETCH', 'UNION', 'INTERSECT', 'EXCEPT', 'WINDOW', 'FOR'], //
);

function kindOf(token: number, whole: boolean, isItem: boolean): PlaceKind {
  if (token === STRING) return isItem ? 'quoted' : 'literal';
  if (token === QUOTED || !whole) return 'name';
  return isItem ? 'item' : 'value';
}
