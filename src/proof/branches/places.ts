/**
 * The places of slots in a rendered text: what they are part of there, and with which SQL PostgreSQL may be asked about the
 * statement instead. Slots in comments do not matter.
 */
import {
  END,
  QUOTED,
  skipSpace,
  SqlScanner,
  STRING,
  SYMBOL,
  WORD,
} from '../../template/sql-scanner.js';
import { asWords, type Slots } from './slots.js';

/**
 * `literal`: a string constant; `value`: where an expression may be; `item`: an item of ORDER BY or GROUP BY, where a
 * placeholder would be a constant, or of the columns of a SELECT, which a caller chooses by name; `quoted`: a string constant as such an item; `name`: part of a name, or a quoted one.
 */
export type PlaceKind = 'literal' | 'value' | 'item' | 'quoted' | 'name';

/** The token that holds one slot or several (UTF-16 units), all of which is replaced. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly kind: PlaceKind;
  readonly keys: readonly string[];
  /** Whether a parenthesis follows, so that it may be the name of a function. */
  readonly called: boolean;
}

/** placesOf finds the places of a text. Integers need none outside of quotes: they are what they stand for. */
export function placesOf(text: string, slots: Slots): Place[] {
  const found: Place[] = [];
  const all = slots.in(text);
  if (all.length === 0) return found;
  const scanner = new SqlScanner(asWords(text));
  let before = '';
  /** The list of items that has begun, for each open parenthesis. */
  const lists: ItemList[] = [undefined];
  let item: ItemList;
  let next = 0;
  for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
    const { start, end } = scanner;
    while (next < all.length && all[next]!.start < start) next++;
    const first = next;
    while (next < all.length && all[next]!.end <= end) next++;
    const inside = all.slice(first, next);
    const isQuoted = kind === STRING || kind === QUOTED;
    if (inside.some((slot) => isQuoted || slot.kind !== 'number')) {
      const whole = inside.length === 1 && inside[0]!.end - inside[0]!.start === end - start;
      const keys = [...new Set(inside.map(({ key }) => key))];
      const called = text.charAt(skipSpace(text, end)) === '(';
      found.push({ start, end, kind: kindOf(kind, whole, item), keys, called });
    }
    const token = kind === WORD ? scanner.value().toUpperCase() : '';
    const symbol = kind === SYMBOL ? text.charAt(start) : '';
    if (symbol === '(') lists.push(undefined);
    else if (symbol === ')' && lists.length > 1) lists.pop();
    const depth = lists.length - 1;
    if (token === 'BY')
      lists[depth] = before === 'ORDER' || before === 'GROUP' ? 'sorted' : undefined;
    else if (token === 'SELECT') lists[depth] = 'selected';
    else if (ENDS_LIST.has(token)) lists[depth] = undefined;
    item = symbol === ',' || BEGINS_LIST.has(token) ? lists[depth] : undefined;
    before = token;
  }
  return found;
}

type ItemList = 'sorted' | 'selected' | undefined;

const BEGINS_LIST: ReadonlySet<string> = new Set(['BY', 'SELECT', 'DISTINCT', 'ALL']);

const ENDS_LIST: ReadonlySet<string> = new Set(
  [
    'FROM',
    'INTO',
    'WHERE',
    'HAVING',
    'LIMIT',
    'OFFSET',
    'FETCH',
    'UNION',
    'INTERSECT',
    'EXCEPT',
    'WINDOW',
    'FOR',
  ], //
);

function kindOf(token: number, whole: boolean, item: ItemList): PlaceKind {
  if (token === STRING) return item === 'sorted' ? 'quoted' : 'literal';
  if (token === QUOTED || !whole) return 'name';
  return item === undefined ? 'value' : 'item';
}
