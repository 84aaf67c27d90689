/** What a shape is for a request: its text with the values of the request in place of the slots. */
import type { BodyValue } from '#app/script/body/request-body.js';
import { screen } from '#app/native/screen.js';
import type { Slots } from '#app/proof/branches/slots.js';
import { SEPARATORS } from './random-template.js';
import type { Values } from './real-request.js';

/** Values that stand for the first and the second slot of a parameter. */
type Filling = readonly [first: string, second: string | undefined];

/** instancesOf gives several texts where a value may have been split or not. */
export function instancesOf(text: string, slots: Slots, values: Values): Set<string> {
  let texts = new Set([text]);
  for (const key of new Set([...slots.in(text).map((slot) => slot.key), ...values.keys()])) {
    const filled = new Set<string>();
    for (const one of texts)
      for (const filling of fillings(values.get(key), key.startsWith('header.')))
        filled.add(fill(one, key, slots, filling));
    texts = filled;
  }
  return texts;
}

/** Headers that the screen refuses are blank. */
function fillings(value: BodyValue | undefined, isHeader: boolean): Filling[] {
  const blank = (one: string | null): string => (one !== null && screen(one) ? one : '');
  if (!isHeader || value === undefined || value === null) return withoutScreen(value);
  return withoutScreen(typeof value === 'string' ? blank(value) : value.map(blank));
}

function withoutScreen(value: BodyValue | undefined): Filling[] {
  if (value === undefined || value === null) return [['<no value>', undefined]];
  if (typeof value !== 'string') {
    const [first = '', second] = value.map((one) => one ?? '<nil>');
    return [
      [first, second],
      [`[${value.join(' ')}]`, undefined],
    ];
  }
  const found: Filling[] = [[value, undefined]];
  for (const separator of SEPARATORS) {
    const [first = '', ...others] = value.split(separator);
    if (others.length === 1) found.push([first, others[0]]);
  }
  return found;
}

function fill(text: string, key: string, slots: Slots, [first, second]: Filling): string {
  let filled = '';
  let copied = 0;
  for (const slot of slots.in(text)) {
    if (slot.key !== key) continue;
    const isSecond = text.slice(slot.start, slot.end) === slots.value(key, 1);
    filled += text.slice(copied, slot.start) + (isSecond ? (second ?? '') : first);
    copied = slot.end;
  }
  // Numbers that stand side by side are one.
  return (filled + text.slice(copied)).replaceAll(slots.number(key), first);
}
