/** The condition of a finding, in words, applied to a request: `types` is sent twice and `q` is not sent. */
import type { ScriptText } from '#app/script/script-text.js';
import type { Sample, SampleValue } from './expectation.js';

/** meets tells whether a request is one for which a finding says that the script fails. */
export function meets(when: string, sample: Sample, { head }: ScriptText): boolean {
  if (when === 'always') return true;
  return when.split(', or ').some((conjunction) =>
    conjunction.split(/ and (?=`)/).every((condition) => {
      const [, name, says] = /^`([^`]+)` (.+)$/.exec(condition) ?? [];
      if (name === undefined || says === undefined) throw new Error(`not a condition: ${when}`);
      const value = sample[name];
      const isList = head.parameters.get(name)?.list === true && typeof value === 'string';
      return isTrue(says, isList ? [value] : value);
    }),
  );
}

function isTrue(says: string, value: SampleValue): boolean {
  const [, item] = /^has "(.*)"$/.exec(says) ?? [];
  if (item !== undefined) return [value].flat().includes(item);
  const [, lacking] = /^does not have "(.*)"$/.exec(says) ?? [];
  if (lacking !== undefined) return Array.isArray(value) && !value.includes(lacking);
  const [, not, constant] = /^is (not )?"(.*)"$/.exec(says) ?? [];
  if (constant !== undefined) return (value === constant) === (not === undefined);
  const check = CHECKS.get(says);
  if (check === undefined) throw new Error(`not known of a value: ${says}`);
  return check(value);
}

const CHECKS: ReadonlyMap<string, (value: SampleValue) => boolean> = new Map([
  ['is not sent', (value) => value === undefined],
  ['is sent', (value) => value !== undefined],
  ['is sent once', (value) => typeof value === 'string'],
  ['is null', () => false],
  ['is an empty list', () => false],
  ['is empty', (value) => value === ''],
  ['is not sent or empty', (value) => (value ?? '').length === 0],
  ['has a value', (value) => (value ?? '').length > 0],
  ['is a list of one value', (value) => Array.isArray(value) && value.length === 1],
  ['is sent twice', (value) => Array.isArray(value) && value.length > 1],
  ['is a number', (value) => typeof value === 'string' && /^-?\d+$/.test(value)],
  ['is a name', (value) => typeof value === 'string' && /^[\w.]+$/.test(value)],
]);
