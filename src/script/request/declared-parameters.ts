/**
 * Checks the parameters of a request against those that its script declares and knows: all wrong ones at once, by name and
 * with what is expected, never with the value.
 */
import type { KnownMembers } from '../body/json-document.js';
import { WHOLE_BODY, type RequestBody } from '../body/request-body.js';
import { ServiceError } from '../../base/errors.js';
import type { DeclaredParameter } from '../head/declared-parameter.js';
import { similar } from '../../base/nearest.js';
import type { QueryParameters } from './query-string.js';
import { isReservedKey, type DeclaredParameters, type RequestData } from './request-data.js';

/** checkParameters throws ServiceError `invalid_parameter` unless the data has valid values for all `declared`. */
export function checkParameters(declared: DeclaredParameters, data: RequestData): void {
  let wrong: DeclaredParameter[] | undefined;
  for (const parameter of declared.values())
    if (!isFile(parameter, data) && !isValid(parameter, data.raw(parameter.name)))
      (wrong ??= []).push(parameter);
  if (wrong !== undefined) throw invalidParameters(wrong, data);
}

/** Whether it is a large file, which as any text is valid. */
function isFile({ name, type, bounds }: DeclaredParameter, data: RequestData): boolean {
  return data.bytes(name) !== undefined && type === 'text' && Object.keys(bounds).length === 0;
}

function isValid(parameter: DeclaredParameter, value: unknown): boolean {
  if (value === undefined || value === null) return !parameter.required;
  if (!Array.isArray(value)) return typeof value === 'string' && parameter.isValid(value);
  return (
    parameter.list &&
    value.every((one) => one === null || (typeof one === 'string' && parameter.isValid(one)))
  );
}

function invalidParameters(wrong: readonly DeclaredParameter[], data: RequestData): ServiceError {
  const texts = wrong.map((one) => `${one.name} ${mistake(one, data.raw(one.name))}`);
  const message = `invalid ${plural('parameter', wrong)}: ${texts.join('; ')}`;
  const parameters = wrong.map(({ name, expected }) => ({ parameter: name, expected }));
  const members = { parameter: wrong[0]?.name, parameters };
  return new ServiceError('invalid_parameter', message, { members });
}

function mistake({ expected, list }: DeclaredParameter, value: unknown): string {
  if (value === undefined || value === null) return `is missing, expected ${expected}`;
  if (Array.isArray(value) && !list) return `has several values, expected ${expected}`;
  return `must be ${expected}`;
}

/** Most unknown parameters that are named, and the longest name for which a similar one is sought. */
const MOST_NAMED = 20;
const LONGEST = 64;

/** checkKnown throws ServiceError `unknown_parameter` unless all `sent` parameters and members of the body are known. */
export function checkKnown(
  known: KnownMembers,
  sent: QueryParameters,
  body: RequestBody | undefined,
): void {
  const others = [...sent.keys()].filter((name) => !known.has(name) || isReservedKey(name));
  const inBody = known.has(WHOLE_BODY) ? [] : (body?.unknown(known) ?? []);
  const unknown = others.concat(inBody);
  if (unknown.length === 0) return;
  const names = [...known.keys()];
  const named = unknown.slice(0, MOST_NAMED).map((name) => {
    const near = name.length > LONGEST ? undefined : similar(name, names);
    return { parameter: name.slice(0, LONGEST), nearest: near === name ? undefined : near };
  });
  const texts = named.map(({ parameter, nearest: near }) =>
    near === undefined ? parameter : `${parameter} (did you mean ${near}?)`,
  );
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : '';
  const message = `unknown ${plural('parameter', unknown)}: ${texts.join(', ')}${more}`;
  const members = { parameter: named[0]?.parameter, parameters: named };
  throw new ServiceError('unknown_parameter', message, { members });
}

function plural(noun: string, { length }: readonly unknown[]): string {
  return length === 1 ? noun : `${noun}s`;
}
