/**
 * The parameters of a script as arguments of a tool, put together from its template, its declarations and its proof. A
 * declaration counts more than the proof, the proof more than the template.
 */
import { bareType } from '../../base/sql-types.js';
import {
  aboutParameter,
  declaredType,
  scriptParameters,
  type ScriptParameter,
} from '../../describe/parameters.js';
import type { Head } from '../../script/head/head.js';
import { isUndecided, type ProofRecord, type RecordedParameter } from '../../messages/proofs.js';
import { isReservedKey, PARAMETER_DEFAULTS } from '../../script/request/request-data.js';
import type { Parameter, TemplateParameters } from '../../template/parameters.js';

export interface ToolParameter extends Omit<Parameter, 'type'> {
  /** The SQL types that it is bound with, of a list those of its elements; none if they are not known. */
  readonly types: readonly string[];
  /** Whether it may be text of other types too. */
  readonly isText: boolean;
  /** Whether it is a list only because of its type, so that it may also be sent as the text of an array. */
  readonly isArray: boolean;
  /** Whether no other values are accepted. */
  readonly isEnum: boolean;
  /** A condition under which it is needed although it is not required: `by` is not sent. */
  readonly neededWhen: string | undefined;
  /** The beginning of its description; empty without one. */
  readonly about: string;
}

/** toolParameters leaves out parameters that only HTTP requests have; without a proof of this text `proof` is undefined. */
export function toolParameters(
  { list, open }: TemplateParameters,
  head: Head,
  proof: ProofRecord | undefined,
): ToolParameter[] {
  const isOpen = proof === undefined || isUndecided(proof);
  return scriptParameters(head, proof?.parameters ?? [], list)
    .filter(
      ({ name, declared, used }) =>
        !isReservedKey(name) && (open || (declared ?? used) !== undefined),
    )
    .map((parameter) => toolParameter(parameter, isOpen));
}

/** With `isOpen`, the proof does not say everything about the parameter. */
function toolParameter(parameter: ScriptParameter, isOpen: boolean): ToolParameter {
  const { name, declared, proved, used = unused(parameter) } = parameter;
  const preset = PARAMETER_DEFAULTS.get(name);
  const isNeeded = proved?.required === true && !isOpen;
  const isRequired = isNeeded || (declared ?? used).required;
  const known: ToolParameter = {
    ...used,
    required: isRequired && preset === undefined,
    types: used.type === undefined ? [] : [bareType(used.type)],
    isText: false,
    isArray: false,
    isEnum: false,
    neededWhen: isRequired || used.required ? undefined : proved?.neededWhen,
    about: aboutOf(parameter),
    ...(proved && typesOf(used, proved, isOpen)),
  };
  if (declared === undefined) return { ...known, fallback: used.fallback ?? preset };
  const { values, fallback, list } = declared;
  return {
    ...known,
    list: list || known.list,
    isArray: known.isArray && !list,
    fallback: typeof fallback === 'string' ? fallback : (used.fallback ?? preset),
    types: [declaredType(declared)],
    isText: false,
    isEnum: values !== undefined,
    flag: false,
    values: values ?? known.values,
  };
}

const ARRAY = '[]';

/** The types of the proof, where the value is only bound. */
function typesOf(
  { list, identifier, integer, interpolated, flag, values, fallback }: Parameter,
  { types: bound, values: compared, labels }: RecordedParameter,
  isOpen: boolean,
): Partial<ToolParameter> {
  if (bound.length === 0 || identifier || integer || interpolated || flag) return {};
  const arrays = bound.filter((type) => type.endsWith(ARRAY)).length;
  if (arrays > 0 && arrays < bound.length && !list) return { types: [] }; // one value or several
  const types = [...new Set(bound.map((type) => bareType(type).replace(/\[\]$/, '')))];
  const isArray = arrays > 0 && !list;
  // Constants that the template compares it with may be none of the type: `all` instead of a number.
  const isText = isOpen || [...values, ...compared].some((value) => value !== fallback);
  const enumeration = labels === undefined || isText ? {} : { values: labels, isEnum: true };
  return { types, isText, list: list || isArray, isArray, ...enumeration };
}

function aboutOf(parameter: ScriptParameter): string {
  const about = aboutParameter(parameter);
  const { declared } = parameter;
  if (declared === undefined) return about;
  const text = about === '' || /[.!?…]$/.test(about) ? about : `${about}.`;
  return `${text} Must be ${declared.expected}.`.trimStart();
}

/** A parameter that the template does not use by name. */
function unused({ name, declared, proved }: ScriptParameter): Parameter {
  const shown = declared === undefined ? proved : undefined;
  return {
    name,
    required: false,
    list: shown?.list ?? false,
    fallback: undefined,
    type: undefined,
    identifier: false,
    integer: false,
    interpolated: false,
    flag: false,
    values: shown?.values ?? [],
  };
}
