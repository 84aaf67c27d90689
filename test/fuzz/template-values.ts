/** Values of requests for templates: those that the screen accepts, and those that it refuses. */
import { screen } from '#app/native/screen.js';
import { RequestData } from '#app/script/request/request-data.js';
import type { Random } from '../../bench/random.js';
import { vectorsOf } from './corpus.js';

/** A value, or a list of values. */
type Value = string | string[];

/** Values by parameter, and two sets of them that differ only in what the screen refuses. */
export interface ValuePair {
  readonly names: readonly string[];
  readonly first: readonly Value[];
  readonly second: readonly Value[];
}

const VALUES = vectorsOf<{ value: string }>('screen').map(({ value }) => value);

const ODD = ['', '0', '1', '2', '10', '-', '/', ':', '\\', 'e', 'u', 'E', 'x', 'a.b', 'a/', 'x y', 'id', '-1', '1e0', '99999999999999999999', 'true', 'ann', 'a:b', 'C:\\']; // prettier-ignore

export const ACCEPTED = [...ODD, ...VALUES].filter(screen);

const HOSTILE = ["it's", "'", '"', ';', '--', '/*', '*/', 'a::b', '$1', '$$', "' OR '1'='1", 'x or true', 'é', '😀', '%27', '%', '{{.a}}', '<b>', '\n', '\t', '\u2028', 'x, y', '(select 1)', 'a=1', "E'\\'", '&', '+', `${'a'.repeat(300)};`]; // prettier-ignore

const REFUSED = [...HOSTILE, ...VALUES].filter((value) => !screen(value));

/** valuesFor makes values for parameters. */
export function valuesFor(random: Random, names: readonly string[]): ValuePair {
  const sent = names.filter(() => random.next() < 0.85);
  const pairs = sent.map(() => (random.next() < 0.15 ? lists(random) : pair(random)));
  return { names: sent, first: pairs.map(([one]) => one), second: pairs.map(([, two]) => two) };
}

function pair(random: Random): [string, string] {
  if (random.next() < 0.7) {
    const value = random.pick(ACCEPTED);
    return [value, value];
  }
  return [random.pick(REFUSED), random.pick(REFUSED)];
}

function lists(random: Random): [string[], string[]] {
  const pairs = Array.from({ length: random.between(2, 4) }, () => pair(random));
  return [pairs.map(([one]) => one), pairs.map(([, two]) => two)];
}

const HEADER = 'header.';

/** requestWith is a request with these values; a name that begins with `header.` is that of a header. */
export function requestWith(names: readonly string[], values: readonly Value[]): RequestData {
  const parameters = new Map<string, Value>();
  const headers: string[] = [];
  for (const [i, name] of names.entries()) {
    const value = values[i]!;
    if (!name.startsWith(HEADER)) parameters.set(name, value);
    else
      for (const one of [value].flat())
        headers.push(name.slice(HEADER.length).toLowerCase(), one.replaceAll('\n', '\t'));
  }
  return new RequestData(parameters, headers.join('\n'), '{"sub":"ann"}', () => undefined);
}
