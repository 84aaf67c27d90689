/** The changes of a script's parameters. Accepting more breaks nothing; accepting less does. */
import { compareDecimals, isDecimal } from '../../script/head/decimal.js';
import { compareText } from '../../base/text.js';
import { byName, typesText, type Changes } from './change.js';
import { acceptsSent } from './compatible-types.js';
import type { ParameterContract, ScriptContract } from './contract.js';

export function compareParameters(
  old: ScriptContract,
  now: ScriptContract,
  changes: Changes,
): void {
  if (now.strict && !old.strict)
    changes.breaking('strict', '', 'parameters that the script does not know are refused now');
  if (old.strict && !now.strict)
    changes.compatible('strict', '', 'parameters that the script does not know are ignored now');
  const added = new Set(now.parameters.map(({ name }) => name));
  for (const { name } of old.parameters) added.delete(name);
  for (const [before, after] of byName(old.parameters, now.parameters)) {
    if (after === undefined) removed(before!, now.strict, changes);
    else if (before === undefined) addedOne(after, added, changes);
    else compareOne(before, after, changes);
  }
}

/** Callers do not send claims; their token has them. */
function removed({ name }: ParameterContract, strict: boolean, changes: Changes): void {
  const isClaim = name.startsWith('claims.');
  const isNamed = !/^(?:header|claims)\./.test(name);
  const what = isClaim ? '' : strict && isNamed ? ', and refused' : ', and ignored';
  changes.add(!isClaim, 'parameter removed', name, `the parameter \`${name}\` is gone${what}`);
}

function addedOne(
  { name, required, neededWhen }: ParameterContract,
  added: ReadonlySet<string>,
  changes: Changes,
): void {
  const needed = required
    ? ', and required'
    : neededWhen === undefined
      ? ''
      : `, and needed when ${neededWhen}`;
  const breaking = required || (neededWhen !== undefined && !needsNew(neededWhen, added));
  changes.add(breaking, 'parameter added', name, `the parameter \`${name}\` is new${needed}`);
}

/** Whether a condition holds only for requests with a parameter that is new too. */
function needsNew(condition: string, added: ReadonlySet<string>): boolean {
  return [...added].some((name) =>
    condition
      .split(' and ')
      .some((part) => part.startsWith(`\`${name}\` `) && !NEGATIVE.test(part)),
  );
}

/** A condition that also holds for requests without the parameter. */
const NEGATIVE = /^`[^`]*` (?:is not |does not have )/;

function compareOne(old: ParameterContract, now: ParameterContract, changes: Changes): void {
  const { name } = now;
  const label = `the parameter \`${name}\``;
  compareNeed(old, now, label, changes);
  const accepted = acceptsSent(old.types, now.types);
  if (!accepted || !acceptsSent(now.types, old.types)) {
    const [was, is] = [old, now].map(({ types }) => typesText(types) || 'any text');
    changes.add(!accepted, 'parameter type', name, `${label} is ${is} now, and was ${was}`);
  }
  if (old.list && !now.list)
    changes.breaking('parameter list', name, `${label} takes one value only, and took several`);
  if (now.list && !old.list)
    changes.compatible('parameter list', name, `${label} takes several values`);
  compareValues(old, now, label, changes);
  compareBounds(old, now, label, changes);
  const [before, after] = [old, now].map((one) => defaultText(one.default));
  // What was required was sent by all callers.
  if (before !== after && !old.required)
    changes.breaking(
      'parameter default',
      name,
      `the default of \`${name}\` is ${after ?? 'gone'}${before === undefined ? '' : `, and was ${before}`}`,
    );
}

function defaultText(value: ParameterContract['default']): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function compareNeed(
  old: ParameterContract,
  now: ParameterContract,
  label: string,
  changes: Changes,
): void {
  const { name, neededWhen } = now;
  const add = (breaking: boolean, text: string): void =>
    changes.add(breaking, 'parameter required', name, `${label} ${text}`);
  if (now.required) {
    if (!old.required) add(true, 'is required now');
  } else if (neededWhen === undefined) {
    if (old.required) add(false, 'is not required any more');
    else if (old.neededWhen !== undefined)
      add(false, `is not needed any more when ${old.neededWhen}`);
  } else if (old.required) add(false, `is needed only when ${neededWhen}`);
  else if (old.neededWhen === undefined) add(true, `is needed now when ${neededWhen}`);
  else if (old.neededWhen !== neededWhen)
    add(true, `is needed when ${neededWhen}, and was when ${old.neededWhen}`);
}

function compareValues(
  { values: old }: ParameterContract,
  { name, values: now }: ParameterContract,
  label: string,
  changes: Changes,
): void {
  if (now === undefined) {
    if (old !== undefined)
      changes.compatible('parameter values', name, `${label} takes other values too`);
    return;
  }
  if (old === undefined) {
    changes.breaking('parameter values', name, `${label} takes only ${now.join(', ')}`);
    return;
  }
  const gone = old.filter((value) => !now.includes(value));
  const added = now.filter((value) => !old.includes(value));
  if (gone.length > 0)
    changes.breaking(
      'parameter values',
      name,
      `${label} does not take ${gone.join(', ')} any more`,
    );
  if (added.length > 0)
    changes.compatible('parameter values', name, `${label} takes ${added.join(', ')} too`);
}

/** The bounds, and whether a new value of each narrows what is accepted. */
const BOUNDS = [
  ['min', (old: string, now: string) => compared(now, old) > 0],
  ['max', (old: string, now: string) => compared(now, old) < 0],
  ['minlength', (old: string, now: string) => compared(now, old) > 0],
  ['maxlength', (old: string, now: string) => compared(now, old) < 0],
  ['pattern', () => true],
] as const;

function compareBounds(
  old: ParameterContract,
  now: ParameterContract,
  label: string,
  changes: Changes,
): void {
  for (const [bound, narrows] of BOUNDS) {
    const { [bound]: before } = old;
    const { [bound]: after } = now;
    if (before === after) continue;
    const breaking = after !== undefined && (before === undefined || narrows(before, after));
    const is = after === undefined ? `has no ${bound}= any more` : `has ${bound}=${after} now`;
    const was = before === undefined ? '' : `, and had ${before}`;
    changes.add(breaking, 'parameter bounds', now.name, `${label} ${is}${was}`);
  }
}

/** Numbers, or dates, of which a longer one is later. */
function compared(a: string, b: string): number {
  if (isDecimal(a) && isDecimal(b)) return compareDecimals(a, b);
  return a.length - b.length || compareText(a, b);
}
