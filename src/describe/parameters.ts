/**
 * What a script takes: parameters, headers, members of a body and claims, each once, with what its head declares, its proof
 * shows and its template does with it. A declaration counts more than the proof.
 */
import type { ParameterContract } from './contract/contract.js';
import { isHeaderName } from '../base/headers.js';
import { fullType } from '../base/sql-types.js';
import { sortedBy } from '../base/text.js';
import { BODY_PREFIX, WHOLE_BODY } from '../script/body/request-body.js';
import type { DeclaredParameter } from '../script/head/declared-parameter.js';
import type { Head } from '../script/head/head.js';
import { CREDENTIAL_NAMES } from '../script/request/header-fields.js';
import { isReservedKey, PARAMETER_DEFAULTS } from '../script/request/request-data.js';
import { NOTHING_SHOWN, type ProofRecord, type RecordedParameter } from '../messages/proofs.js';
import type { Parameter, TemplateParameters } from '../template/parameters.js';

export interface ScriptParameter {
  /** With its prefix: `header.`, `body.`, `claims.`. */
  readonly name: string;
  readonly declared: DeclaredParameter | undefined;
  readonly proved: RecordedParameter | undefined;
  /** How the template uses it; undefined for a name that is not in its text. */
  readonly used: Parameter | undefined;
}

/**
 * scriptParameters gives the parameters of the template in their order there, then others that are declared or in the proof.
 * A proof knows names that a template computes.
 */
export function scriptParameters(
  { parameters: declared }: Head,
  proved: readonly RecordedParameter[],
  used: readonly Parameter[],
): ScriptParameter[] {
  const provedBy = new Map(
    proved.filter(({ name }) => !CREDENTIAL_NAMES.has(name)).map((one) => [one.name, one]),
  );
  const usedBy = new Map(used.map((one) => [one.name, one]));
  const names = new Set([...usedBy.keys(), ...declared.keys(), ...provedBy.keys()]);
  return [...names].map((name) => ({
    name,
    declared: declared.get(name),
    proved: provedBy.get(name),
    used: usedBy.get(name),
  }));
}

/** declaredType is the SQL type of a declared parameter, by any of its names. */
export function declaredType({ type }: DeclaredParameter): string {
  return type === 'double' ? 'double precision' : type === 'enum' ? 'text' : type;
}

/** aboutParameter describes a parameter: as declared, or where the service itself has a default; empty without one. */
export function aboutParameter({ name, declared }: ScriptParameter): string {
  return declared?.description ?? ABOUT.get(name) ?? '';
}

const ABOUT: ReadonlyMap<string, string> = new Map([
  ['_page', 'The page, from 1 on.'],
  ['_page_size', 'Rows of a page.'],
]);

/** parameterContract gives a parameter that is declared or in the proof as a contract has it. */
export function parameterContract({ name, declared, proved }: ScriptParameter): ParameterContract {
  const { min, max, minlength, maxlength, pattern } = declared?.bounds ?? {};
  const required = declared?.required === true || proved?.required === true;
  return {
    name,
    types: declared ? [fullType(declaredType(declared))] : proved!.types,
    required,
    neededWhen: required ? undefined : proved?.neededWhen,
    list: (declared ?? proved)!.list,
    values: declared?.values,
    min,
    max,
    minlength,
    maxlength,
    pattern,
    default: declared ? declared.fallback : PARAMETER_DEFAULTS.get(name),
  };
}

/** A parameter that callers may send. */
export interface Input extends ParameterContract {
  readonly place: 'query' | 'header' | 'body' | 'whole body';
  /** The name without its prefix. */
  readonly key: string;
  /** As declared; empty without one. */
  readonly description: string;
  /** Texts that the script compares it with. */
  readonly compared: readonly string[];
  /** How the template uses it; undefined when it is only declared. */
  readonly used: Parameter | undefined;
}

/** What callers may send, and the claims that the script uses of their tokens. */
export interface Inputs {
  readonly list: readonly Input[];
  readonly claims: readonly string[];
}

/** inputsOf gives what is declared or in the proof, sorted by name. */
export function inputsOf(parameters: readonly ScriptParameter[]): Inputs {
  const list: Input[] = [];
  const claims: string[] = [];
  for (const parameter of sortedBy(parameters, ({ name }) => name)) {
    const { name, declared, proved, used } = parameter;
    if (declared === undefined && proved === undefined) continue;
    if (name.startsWith(CLAIM)) claims.push(name.slice(CLAIM.length));
    const placed = placeOf(name);
    if (placed === undefined) continue;
    const contract = parameterContract(parameter);
    list.push({
      ...contract,
      ...placed,
      values: contract.values ?? enumLabels(proved),
      description: aboutParameter(parameter),
      compared: proved?.values ?? [],
      used,
      default: contract.default ?? used?.fallback,
    });
  }
  return { list, claims };
}

const CLAIM = 'claims.';
const HEADER = 'header.';

/** Headers of the connection and of credentials, which are not parameters, and those that OpenAPI describes otherwise. */
const OTHER_HEADERS = /^(?:accept|authorization|content-(?:length|type)|cookie|host)$/i;

/** The labels of an enum where nothing else is a value; an array is one text. */
function enumLabels(proved: RecordedParameter | undefined): readonly string[] | undefined {
  const isOnly = proved?.values.length === 0 && proved.types[0]?.endsWith('[]') === false;
  return isOnly ? proved.labels : undefined;
}

/** Undefined for what callers cannot send by that name. */
function placeOf(name: string): Pick<Input, 'place' | 'key'> | undefined {
  if (name === WHOLE_BODY) return { place: 'whole body', key: '' };
  if (name.startsWith(BODY_PREFIX)) return { place: 'body', key: name.slice(BODY_PREFIX.length) };
  if (name.startsWith(HEADER)) {
    const key = name.slice(HEADER.length);
    return OTHER_HEADERS.test(key) || !isHeaderName(key) ? undefined : { place: 'header', key };
  }
  return isReservedKey(name) ? undefined : { place: 'query', key: name };
}

export const NOT_PROVED = 'the script is not proved yet';

/**
 * templateRecord is what a template itself shows about a script without a proof, in the form of a proof: its parameters, with
 * the types that they are cast to. Of its result nothing is known.
 */
export function templateRecord({ list }: TemplateParameters, head: Head): ProofRecord {
  const hasDefault = (name: string): boolean =>
    PARAMETER_DEFAULTS.has(name) || head.parameters.get(name)?.fallback !== undefined;
  return {
    ...NOTHING_SHOWN,
    verdict: 'unproved',
    open: [{ what: NOT_PROVED }],
    parameters: list.map((parameter) => recorded(parameter, hasDefault(parameter.name))),
  };
}

function recorded(parameter: Parameter, hasDefault: boolean): RecordedParameter {
  const { name, required, list, type, values, identifier, integer, interpolated } = parameter;
  // Without a value that is bound there is a response all the same: it is NULL.
  const isText = identifier || integer || interpolated;
  return {
    name,
    required: required && isText && !hasDefault,
    neededWhen: undefined,
    types: type === undefined ? [] : [fullType(type)],
    list,
    values,
  };
}
