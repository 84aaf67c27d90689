/** What a request may have for a parameter, as far as a template can tell it apart. */
import type { BodyValue } from '../../script/body/request-body.js';
import { ellipsed, holdsSlot } from './slots.js';

export interface Option {
  /** Unique among the options of a parameter. */
  readonly id: string;
  /** What the data gives; undefined for a parameter that was not sent. */
  readonly raw: BodyValue | undefined;
  /** Follows the parameter's name: `is not sent`. */
  readonly says: string;
  /** The constants in a list. */
  readonly has?: readonly string[];
}

/** An option that was chosen for a parameter: `status`, `body.name`, `header.Accept`, `claims.sub`, `request.body`. */
export interface Choice {
  readonly key: string;
  readonly option: Option;
}

/** The choices of one rendering, in the order in which the template asked for them. */
export type Path = readonly Choice[];

/**
 * optionIn is the option of a parameter; undefined when the template did not ask for it. The search begins at `near`, where
 * other paths have it: most templates ask in much the same order.
 */
export function optionIn(path: Path, key: string, near = 0): Option | undefined {
  let low = Math.min(near, path.length - 1);
  for (let high = low + 1; low >= 0 || high < path.length; low--, high++) {
    if (path[low]?.key === key) return path[low]!.option;
    if (path[high]?.key === key) return path[high]!.option;
  }
  return undefined;
}

/** agree tells whether two paths have the same options for the parameters that both asked for, apart from `except`. */
export function agree(one: Path, other: Path, except: string): boolean {
  return one.every(({ key, option }, i) => {
    const its = key === except ? undefined : optionIn(other, key, i);
    return its === undefined || its.id === option.id;
  });
}

export const ABSENT: Option = { id: 'absent', raw: undefined, says: 'is not sent' };
export const EMPTY: Option = { id: 'empty', raw: '', says: 'is empty' };
export const NULL: Option = { id: 'null', raw: null, says: 'is null' };
export const NO_ITEMS: Option = { id: 'list0', raw: [], says: 'is an empty list' };

/** anyValue is a value that the template only passes on; `slot` stands for it. */
export function anyValue(slot: string): Option {
  return { id: 'any', raw: slot, says: 'is sent' };
}

/** constant is a value that the template compares with. */
export function constant(text: string): Option {
  return { id: `=${text}`, raw: text, says: `is ${JSON.stringify(text)}` };
}

export function listOf(items: readonly (string | null)[]): Option {
  const says = items.length === 1 ? 'is a list of one value' : 'is sent twice';
  return { id: `list${items.length}`, raw: items, says };
}

/** listWith is a list of constants. */
export function listWith(items: readonly string[]): Option {
  return { ...listOf(items), id: `list:${JSON.stringify(items)}`, has: items };
}

/** variant is a value or a list in which a slot has become another text. */
export function variant(raw: string | readonly (string | null)[]): Option {
  if (typeof raw !== 'string') {
    const has = raw.filter((one) => one !== null && one !== '' && !holdsSlot(one)) as string[];
    return { ...listOf(raw), id: `list:${JSON.stringify(raw)}`, has };
  }
  if (!holdsSlot(raw)) return raw === '' ? EMPTY : constant(raw);
  return { id: `like${raw}`, raw, says: `is like ${JSON.stringify(ellipsed(raw))}` };
}

/** parts is a value that consists of two, with a separator between them. */
export function parts([first, second]: readonly [string, string], separator: string): Option {
  return {
    id: `parts${separator}`,
    raw: first + separator + second,
    says: `has a ${JSON.stringify(separator)}`,
  };
}

export function number(text: string): Option {
  return { id: 'number', raw: text, says: 'is a number' };
}

export function name(text: string): Option {
  return { id: 'name', raw: text, says: 'is a name' };
}

/** before is a value that comes before a constant. */
export function before(slot: string, bound: string): Option {
  return { id: 'before', raw: slot, says: `is less than ${JSON.stringify(bound)}` };
}

export function sameAs(key: string, slot: string): Option {
  return { id: `same:${key}${slot}`, raw: slot, says: `is the same as \`${key}\`` };
}
