/**
 * The parameter that a placeholder of a rendered text binds, found by the action that printed it. Determined only when it
 * is needed, such as after a failure, so rendering does not pay for it. Names that are computed at run time are not found.
 */
import { BINDING_FUNCTIONS } from './functions.js';
import type { PipeNode } from './node.js';
import { callsIn, outlinesOf } from './outline.js';
import { PLACEHOLDER, printed, type Trace } from './placement.js';
import type { Source } from './source.js';

/** boundParameters are the parameters of the placeholders in the text, as far as they are known, by number. */
export function boundParameters(
  text: string,
  { source, marks }: Trace,
): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const byPlace = new Map<number, number[]>();
  for (const [start, end, place] of printed(text, marks, PLACEHOLDER)) {
    const numbers = byPlace.get(place) ?? [];
    numbers.push(Number(text.slice(start + 1, end)));
    byPlace.set(place, numbers);
  }
  for (const [place, numbers] of byPlace) {
    const keys = keysByAction(source).get(place) ?? [];
    for (const [index, number] of numbers.entries()) {
      const key = keyOf(keys, numbers.length, index);
      if (key !== '' && !found.has(number)) found.set(number, key);
    }
  }
  return found;
}

/** The key of a placeholder of an action with several calls: in their order, when each has printed one placeholder. */
function keyOf(keys: readonly string[], count: number, index: number): string {
  const [first = '', ...others] = keys;
  if (others.every((key) => key === first)) return first;
  return keys.length === count ? keys[index]! : '';
}

const known = new WeakMap<Source, ReadonlyMap<number, readonly string[]>>();

/** The parameters that the calls of sqlVal and sqlList in each action bind, by the action's offset. */
function keysByAction(source: Source): ReadonlyMap<number, readonly string[]> {
  let keys = known.get(source);
  if (keys === undefined) {
    const found = new Map<number, readonly string[]>();
    for (const { pipes } of outlinesOf(source.text, source.name))
      for (const pipe of pipes) found.set(pipe.pos, keysOf(pipe));
    known.set(source, (keys = found));
  }
  return keys;
}

/** keysOf gives the constant arguments of sqlVal and sqlList in a pipeline; '' stands for one that is computed. */
function keysOf(pipe: PipeNode): string[] {
  const calls = [...callsIn(pipe)].filter(({ name }) => BINDING_FUNCTIONS.has(name));
  return calls.map(({ args: [key] }) => (key?.kind === 'string' ? key.text : ''));
}
