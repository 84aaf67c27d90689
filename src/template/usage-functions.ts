/**
 * How function calls use fields: isSet and comparisons test them, defaultOrValue gives them a default, all others
 * require them.
 */
import type { FieldUse } from './field-usage.js';
import { PRINTING_FUNCTIONS } from './functions.js';
import type { Operand } from './node.js';
import { common, DATA, fieldValue, isHeaders, OTHER, type UsageValue } from './usage-value.js';
import type { Scope, UsageWalk } from './usage-walk.js';

/** A function's name and arguments; `last` is the value of the previous stage in its pipeline, the last argument. */
export interface FunctionCall {
  readonly name: string;
  readonly args: readonly Operand[];
  readonly last: UsageValue | undefined;
}

/** Maximum of constants recorded for a field. */
const MAX_VALUES = 20;

/** Functions that return text of their arguments. */
const PRINTING = new Set([...PRINTING_FUNCTIONS, 'split', 'unEscape']);

/** usageOfCall records the fields that a call uses and returns its value. */
export function usageOfCall(walk: UsageWalk, call: FunctionCall, scope: Scope): UsageValue {
  const { name } = call;
  if (name === 'and' || name === 'or') return combined(walk, call, scope);
  const args = call.args.map((operand) => walk.operand(operand, scope));
  if (call.last !== undefined) args.push(call.last);
  switch (name) {
    case 'isSet':
      return named(walk, args, scope, (field) => {
        walk.usage.test(field);
        return { ...OTHER, yes: field.fields };
      });
    case 'defaultOrValue':
      return named(walk, args, scope, (field) => defaulted(walk, field, args[1], scope));
    case 'sqlVal':
      return named(walk, args, scope, (field) => {
        walk.usage.use(field, scope, walk.context);
        return OTHER;
      });
    case 'sqlList':
      return needed(walk, args, scope, { list: true });
    case 'inFormat':
      return needed(walk, args, scope, { list: true, interpolated: true });
    case 'ident':
      return needed(walk, args, scope, { identifier: true });
    case 'not': {
      const [value = OTHER] = args;
      walk.usage.test(value);
      return { ...OTHER, yes: value.no, no: value.yes };
    }
    case 'eq':
      return compared(walk, args);
    case 'ne': {
      const { yes } = compared(walk, args);
      return { ...OTHER, no: yes };
    }
    case 'index':
      return indexed(walk, args, scope);
    case 'limitOffset':
      for (const value of args) walk.usage.use(value, scope, { integer: true });
      return OTHER;
    default:
      for (const value of args) walk.usage.use(value, scope, { interpolated: PRINTING.has(name) });
      return OTHER;
  }
}

/** A call whose first argument is the name of a field; a computed name may be any field. */
function named(
  walk: UsageWalk,
  [key = OTHER]: readonly UsageValue[],
  scope: Scope,
  then: (field: UsageValue) => UsageValue,
): UsageValue {
  if (key.kind === 'text') return then(fieldValue(key.text));
  walk.usage.use(key, scope);
  walk.usage.open = true;
  return OTHER;
}

function needed(
  walk: UsageWalk,
  args: readonly UsageValue[],
  scope: Scope,
  how: FieldUse,
): UsageValue {
  return named(walk, args, scope, (field) => {
    walk.usage.use(field, scope, how);
    return OTHER;
  });
}

function defaulted(
  walk: UsageWalk,
  value: UsageValue,
  standard: UsageValue | undefined,
  scope: Scope,
): UsageValue {
  if (standard !== undefined && standard.kind !== 'text') walk.usage.use(standard, scope);
  for (const name of value.fields) {
    const field = walk.usage.field(name);
    field.used = true;
    if (standard?.kind === 'text') field.fallback ??= standard.text;
    scope.sent.add(name);
  }
  return value;
}

/** eq: an absent value equals no constant, so the field need not be sent, but it was sent if it is equal. */
function compared(walk: UsageWalk, args: readonly UsageValue[]): UsageValue {
  const constants = args.filter(({ kind }) => kind === 'text');
  for (const value of args) {
    walk.usage.test(value);
    for (const name of value.fields) {
      const field = walk.usage.field(name);
      if (constants.length === 0) field.used = true;
      for (const { text } of constants.slice(0, MAX_VALUES))
        if (field.values.size < MAX_VALUES) field.values.add(text);
    }
  }
  const [first = OTHER, ...others] = args;
  const constant = others.every(({ kind }) => kind === 'text');
  if (first.sure && constant) return { ...OTHER, yes: first.fields };
  if (first.kind === 'text' && others.length === 1 && others[0]!.sure)
    return { ...OTHER, yes: others[0]!.fields };
  return OTHER;
}

function indexed(walk: UsageWalk, args: readonly UsageValue[], scope: Scope): UsageValue {
  const [value = OTHER, key, ...more] = args;
  if (key === undefined) return value;
  if (value === DATA && key.kind === 'text') {
    const field = fieldValue(key.text);
    if (more.length === 0) return field;
    const [header] = more;
    if (isHeaders(field)) walk.usage.headers.add(header?.kind === 'text' ? header.text : '*');
    walk.usage.use(field, scope, { list: true });
    return OTHER;
  }
  if (isHeaders(value)) walk.usage.headers.add(key.kind === 'text' ? key.text : '*');
  walk.usage.use(value, scope, { list: true });
  for (const one of [key, ...more]) walk.usage.use(one, scope);
  return OTHER;
}

/** and, or: the arguments after one are only evaluated if that one was true, or false. */
function combined(walk: UsageWalk, { name, args, last }: FunctionCall, scope: Scope): UsageValue {
  const all = name === 'and';
  if (!walk.spend(scope.sent.size)) return OTHER;
  const inner: Scope = { ...scope, sent: new Set(scope.sent) };
  const skipped: Scope = { ...inner, needed: new Set() };
  const fields = new Set<string>();
  const surely: string[] = [];
  let possibly: readonly string[] | undefined;
  let only: UsageValue | undefined;
  let count = 0;
  const take = (value: UsageValue) => {
    walk.usage.test(value);
    const [passed, stopped] = all ? [value.yes, value.no] : [value.no, value.yes];
    for (const field of passed) inner.sent.add(field);
    surely.push(...passed);
    possibly = possibly === undefined ? stopped : common(possibly, stopped);
    for (const field of value.fields) fields.add(field);
    only = count++ === 0 ? value : undefined;
  };
  for (const [i, operand] of args.entries()) take(walk.operand(operand, i === 0 ? inner : skipped));
  if (last !== undefined) take(last);
  if (only !== undefined) return only;
  const sides = all ? { yes: surely, no: possibly ?? [] } : { yes: possibly ?? [], no: surely };
  return { ...OTHER, kind: fields.size > 0 ? 'field' : 'other', fields: [...fields], ...sides };
}
