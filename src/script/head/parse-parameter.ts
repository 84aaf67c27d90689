/** Parses `-- @param`: `name type [required] [min=1] [max=9] [minlength=1] [maxlength=9] [pattern=…] [= default] text…`. */
import { canonicalName, isHeaderName } from '../../base/headers.js';
import { nearest } from '../../base/nearest.js';
import type { DeclaredParameter, ParameterBounds } from './declared-parameter.js';
import { PARAMETER_TYPES, type ParameterType } from './parameter-type.js';
import { compilePattern, LONGEST_MATCHED, PatternError } from './pattern.js';

export const PARAMETER_SYNTAX =
  'name type [required] [min=] [max=] [minlength=] [maxlength=] [pattern=] [= default] text';

interface DeclaredType extends ParameterType {
  readonly name: string;
  readonly values: readonly string[] | undefined;
}

/** The constraints that follow the type. */
interface Options {
  required: boolean;
  bounds: { -readonly [Bound in keyof ParameterBounds]: string };
  fallback?: string;
}

type Bound = keyof ParameterBounds;

/** parseParameter reads what follows `@param`. Throws SyntaxError. */
export function parseParameter(text: string): DeclaredParameter {
  const [, sent = '', afterName = ''] = /^(\S+)\s*(.*)$/s.exec(text)!;
  const name = nameOf(sent);
  const [, spelled, brackets = '', afterType = ''] =
    /^(enum ?\([^)]*\)|[A-Za-z0-9_]+(?:\([^)]*\))?)((?:\[\])?)(?!\S)\s*(.*)$/s.exec(afterName) ??
    [];
  if (spelled === undefined)
    throw new SyntaxError(`${name} needs a type: it takes ${PARAMETER_SYNTAX}`);
  const type = typeOf(name, spelled);
  const list = brackets !== '';
  const { options, rest } = optionsOf(name, afterType);
  const { noun, check } = checkOf(name, type, options.bounds);
  const { fallback: given, required, bounds } = options;
  const fallback = given === undefined ? undefined : list ? given.split(',') : given;
  if (required && fallback !== undefined)
    throw new SyntaxError(`${name} is required, so that it cannot have a default`);
  if (fallback !== undefined && ![fallback].flat().every(check))
    throw new SyntaxError(`the default of ${name} is not ${noun}`);
  return {
    name,
    type: type.name,
    values: type.values,
    bounds,
    required,
    fallback,
    list,
    expected: list ? `one or more values, each ${noun}` : noun,
    description: rest,
    isValid: check,
  };
}

function nameOf(sent: string): string {
  if (sent.startsWith('header.')) {
    const header = sent.slice('header.'.length);
    if (!isHeaderName(header)) throw new SyntaxError(`${sent} is not the name of a header`);
    return `header.${canonicalName(header)}`;
  }
  if (sent.startsWith('body.') && sent.length > 'body.'.length) return sent;
  if (sent === 'request.body') return sent;
  if (/^(?:header|body|request|_param|_header)$|^(?:request|claims|body)\./.test(sent))
    throw new SyntaxError(
      `${sent} is a reserved name; a header is header.X-Name, a member of the body body.name, the body itself request.body`,
    );
  return sent;
}

function typeOf(name: string, spelled: string): DeclaredType {
  const members = /^enum ?\(([^)]*)\)$/.exec(spelled)?.[1];
  if (members !== undefined) return enumOf(name, members);
  const known = PARAMETER_TYPES.get(spelled);
  if (known !== undefined) return { ...known, name: spelled, values: undefined };
  const types = [...PARAMETER_TYPES.keys(), 'enum'];
  const close = OTHER_NAMES.get(spelled) ?? nearest(spelled, types);
  throw new SyntaxError(
    `unknown type ${JSON.stringify(spelled)} of ${name}, the nearest one is ${close}; there are ${types.join(', ')}`,
  );
}

/** Types under names that are common elsewhere. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ...named('text', 'string', 'varchar', 'char'),
  ...named('integer', 'int', 'int4', 'smallint', 'int2', 'number'),
  ...named('bigint', 'int8', 'long'),
  ...named('numeric', 'decimal'),
  ...named('double', 'float', 'float8', 'float4', 'real'),
  ...named('boolean', 'bool'),
  ...named('timestamptz', 'datetime'),
  ...named('json', 'jsonb', 'object'),
]);

function named(type: string, ...names: string[]): [string, string][] {
  return names.map((name) => [name, type]);
}

function enumOf(name: string, members: string): DeclaredType {
  const values = members.split(',').map((value) => value.trim());
  if (values.includes('')) throw new SyntaxError(`${name} has an empty value in its enum`);
  if (new Set(values).size < values.length)
    throw new SyntaxError(`${name} has a value twice in its enum`);
  const noun = values.length === 1 ? values[0]! : `one of ${values.join(', ')}`;
  return { name: 'enum', values, noun, isValid: (value) => values.includes(value) };
}

/** One option: its key and value, which may be in quotes. */
const OPTION =
  /^(?:(required)(?!\S)|(min|max|minlength|maxlength|pattern|(?==))\s?=\s*('[^']*'(?!\S)|"[^"]*"(?!\S)|\S+))\s*/;

function optionsOf(name: string, text: string): { options: Options; rest: string } {
  const options: Options = { required: false, bounds: {} };
  let rest = text;
  for (;;) {
    const [whole = '', required, key, value = ''] = OPTION.exec(rest) ?? [];
    if (whole === '') break;
    rest = rest.slice(whole.length);
    if (required !== undefined) {
      if (options.required) throw new SyntaxError(`${name} is required twice`);
      options.required = true;
      continue;
    }
    const unquoted = /^(['"]).*\1$/s.test(value) ? value.slice(1, -1) : value;
    const { bounds, fallback } = options;
    if ((key === '' ? fallback : bounds[key as Bound]) !== undefined)
      throw new SyntaxError(`${name} has ${key === '' ? 'a default' : `${key}=`} twice`);
    if (key === '') options.fallback = unquoted;
    else bounds[key as Bound] = unquoted;
  }
  const incomplete = /^(?:(?:min|max|minlength|maxlength|pattern)\s?)?=/.exec(rest)?.[0];
  if (incomplete !== undefined) throw new SyntaxError(`${name} has nothing after ${incomplete}`);
  return { options, rest: rest.replace(/^[-–—:]\s+/, '') };
}

/** The check of a type with its bounds, and what a value must be. */
function checkOf(
  name: string,
  type: DeclaredType,
  { min, max, minlength, maxlength, pattern }: ParameterBounds,
): { noun: string; check: (value: string) => boolean } {
  const checks = [(value: string) => type.isValid(value)];
  let { noun } = type;
  const { compare } = type;
  if (min !== undefined || max !== undefined) {
    if (compare === undefined)
      throw new SyntaxError(`${name} is ${noun}, for which there is no min= and max=`);
    for (const [key, bound] of [
      ['min', min],
      ['max', max],
    ] as const)
      if (bound !== undefined && !type.isValid(bound))
        throw new SyntaxError(`${key}= of ${name} is not ${noun}`);
    if (min !== undefined && max !== undefined && compare(min, max) > 0)
      throw new SyntaxError(`${name} has a min= above its max=`);
    checks.push(
      (value) =>
        (min === undefined || compare(value, min) >= 0) &&
        (max === undefined || compare(value, max) <= 0),
    );
    const from = min === undefined ? '' : max === undefined ? ` from ${min} on` : ` from ${min}`;
    noun += `${from}${max === undefined ? '' : ` ${min === undefined ? 'up ' : ''}to ${max}`}`;
  }
  const ofTexts = minlength ?? maxlength ?? pattern;
  if (ofTexts !== undefined && type.name !== 'text')
    throw new SyntaxError(
      `minlength=, maxlength= and pattern= are for texts, and ${name} is ${noun}`,
    );
  for (const [key, length] of Object.entries({ minlength, maxlength }))
    if (length !== undefined && !/^[1-9][0-9]{0,8}$/.test(length))
      throw new SyntaxError(`${key}= of ${name} is not a number of characters`);
  if (minlength !== undefined || maxlength !== undefined) {
    const least = Number(minlength ?? 0);
    const most = Number(maxlength ?? Infinity);
    if (least > most) throw new SyntaxError(`${name} has a minlength= above its maxlength=`);
    checks.push((value) => {
      // There are at most as many characters as UTF-16 units.
      if (least === 0 && value.length <= most) return true;
      const length = lengthOf(value);
      return length >= least && length <= most;
    });
    const from = maxlength === undefined ? `at least ${minlength}` : `${minlength} to ${maxlength}`;
    noun += ` of ${minlength === undefined ? `at most ${maxlength}` : from} characters`;
  }
  if (pattern !== undefined) {
    checks.push(patternOf(name, pattern));
    noun += ` that matches ${pattern}`;
    if (maxlength === undefined) noun += ` (at most ${LONGEST_MATCHED} characters)`;
  }
  return { noun, check: (value) => checks.every((accepts) => accepts(value)) };
}

function patternOf(name: string, pattern: string): (value: string) => boolean {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new SyntaxError(`pattern= of ${name}: ${error.message}`);
  }
}

/** Characters, as PostgreSQL counts them. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) if (text.codePointAt(i)! > 0xffff) length--;
  return length;
}
