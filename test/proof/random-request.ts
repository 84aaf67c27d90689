/** Random requests for a script: what a caller may send for its parameters. */
import type { BodyValue } from '#app/script/body/request-body.js';
import type { DeclaredParameter } from '#app/script/head/declared-parameter.js';
import type { ScriptText } from '#app/script/script-text.js';
import type { Random } from '../../bench/random.js';
import { CONSTANTS, SEPARATORS } from './random-template.js';
import type { Values } from './real-request.js';

/** Words that no template has. */
const WORDS = ['q1w2', 'u8_9', 'q1w3'];

export function randomRequest(random: Random, keys: readonly string[], script: ScriptText): Values {
  const values = new Map<string, BodyValue>();
  for (const key of keys) {
    const declared = script.head.parameters.get(key);
    const value = declared === undefined ? undeclared(random, key) : valueOf(random, declared);
    if (value !== undefined) values.set(key, value);
  }
  return values;
}

/** Lists are for parameters that may be used as such: of others no list is tried. */
const LISTS = /^(?:ids|tags|body\.list|claims\.roles)$/;

function undeclared(random: Random, key: string): BodyValue | undefined {
  const inBody = key.startsWith('body.') || key.startsWith('claims.');
  if (LISTS.test(key) && random.next() < 0.4) {
    if (inBody && random.next() < 0.4)
      return random.pick([[], [word(random)], [random.pick(CONSTANTS)]]);
    return [item(random), item(random)];
  }
  if (key.startsWith('body.') && random.next() < 0.1) return null;
  if (/^(?:n|page|_page|_page_size)$/.test(key) && random.next() < 0.6) return number(random);
  if (random.next() < 0.3) return undefined;
  return item(random);
}

function item(random: Random): string {
  const chance = random.next();
  if (chance < 0.25) return random.pick(CONSTANTS);
  if (chance < 0.35) return `${word(random)}${random.pick(SEPARATORS)}${word(random)}`;
  return word(random);
}

function word(random: Random): string {
  return random.pick(WORDS);
}

function number(random: Random): string {
  return String(random.between(1, 500));
}

function valueOf(random: Random, declared: DeclaredParameter): BodyValue | undefined {
  if (!declared.required && random.next() < 0.3) return undefined;
  const one = (): string => valid(random, declared);
  if (!declared.list) return one();
  const { values } = declared;
  // Of the lists of an enum each value is tried alone, and with another one.
  if (values !== undefined && random.next() < 0.6) {
    const at = random.between(0, values.length - 1);
    return [values[at]!, values[at === 0 ? 1 : 0] ?? values[at]!];
  }
  if (values !== undefined) return random.next() < 0.5 ? one() : [one()];
  return random.next() < 0.4 ? one() : random.next() < 0.4 ? [one()] : [one(), one()];
}

const VALID: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'false'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000'],
  date: ['2026-01-31'],
  json: ['{}', '"x"', 'null'],
};

function valid(random: Random, { type, values }: DeclaredParameter): string {
  if (values !== undefined) return random.pick(values);
  if (/^(?:integer|bigint|numeric)$/.test(type)) return number(random);
  return type === 'text' ? item(random) : random.pick(VALID[type]!);
}
