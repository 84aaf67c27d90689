/**
 * The parameters of a script as arguments of a tool, put together from its template, its declarations and its proof. A
 * declaration counts more than the proof, the proof more than the template.
 */
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
}

/** toolParameters leaves out parameters that only HTTP requests have; without a proof of this text `proof` is undefined. */
export function toolParameters(
  { list, open }: TemplateParameters,
  { parameters: declared }: Head,
  proof: ProofRecord | undefined,
): ToolParameter[] {
  const all = new Map(list.map((parameter) => [parameter.name, parameter]));
  const proved = new Map(proof?.parameters.map((parameter) => [parameter.name, parameter]));
  for (const name of declared.keys()) if (!all.has(name)) all.set(name, unused(name));
  // The proof knows names that a template computes.
  if (open)
    for (const { name, list, values } of proved.values())
      if (!all.has(name)) all.set(name, { ...unused(name), list, values });
  const isOpen = proof === undefined || isUndecided(proof);
  return [...all.values()]
    .filter(({ name }) => !isReservedKey(name))
    .map((parameter) => {
      const known = proved.get(parameter.name);
      const isNeeded = known?.required === true && !isOpen;
      const one = provedAs(templateParameter(parameter), known, isOpen);
      return withDefault(declaredAs(one, declared, isNeeded));
    });
}

function templateParameter({ type, ...parameter }: Parameter): ToolParameter {
  const types = type === undefined ? [] : [bare(type)];
  return {
    ...parameter,
    types,
    isText: false,
    isArray: false,
    isEnum: false,
    neededWhen: undefined,
  };
}

/** A type without its modifiers in parentheses. */
function bare(type: string): string {
  return type.replace(/ ?\(.*?\)/, '').replace(/^pg_catalog\./, '');
}

/** With `isOpen`, the proof does not say everything about the parameter. */
function provedAs(
  parameter: ToolParameter,
  proved: RecordedParameter | undefined,
  isOpen: boolean,
): ToolParameter {
  if (proved === undefined) return parameter;
  const required = parameter.required || (proved.required && !isOpen);
  const neededWhen = required ? undefined : proved.neededWhen;
  return { ...parameter, ...typesOf(parameter, proved, isOpen), required, neededWhen };
}

const ARRAY = '[]';

/** The types of the proof, where the value is only bound. */
function typesOf(
  { list, identifier, integer, interpolated, flag, values, fallback }: ToolParameter,
  { types: bound, values: compared, labels }: RecordedParameter,
  isOpen: boolean,
): Partial<ToolParameter> {
  if (bound.length === 0 || identifier || integer || interpolated || flag) return {};
  const arrays = bound.filter((type) => type.endsWith(ARRAY)).length;
  if (arrays > 0 && arrays < bound.length && !list) return { types: [] }; // one value or several
  const types = [...new Set(bound.map((type) => bare(type).replace(/\[\]$/, '')))];
  const isArray = arrays > 0 && !list;
  // Constants that the template compares it with may be none of the type: `all` instead of a number.
  const isText = isOpen || [...values, ...compared].some((value) => value !== fallback);
  const enumeration = labels === undefined || isText ? {} : { values: labels, isEnum: true };
  return { types, isText, list: list || isArray, isArray, ...enumeration };
}

/** `isNeeded` tells whether the proof shows that no request without it gets an answer. */
function declaredAs(
  parameter: ToolParameter,
  declared: Head['parameters'],
  isNeeded: boolean,
): ToolParameter {
  const own = declared.get(parameter.name);
  if (own === undefined) return parameter;
  const { type, values, fallback, list: several } = own;
  const required = own.required || isNeeded;
  return {
    ...parameter,
    required,
    neededWhen: required ? undefined : parameter.neededWhen,
    list: several || parameter.list,
    isArray: parameter.isArray && !several,
    fallback: typeof fallback === 'string' ? fallback : parameter.fallback,
    types: [SQL_TYPES.get(type) ?? type],
    isText: false,
    isEnum: values !== undefined,
    flag: false,
    values: values ?? parameter.values,
  };
}

/** The SQL types of declared types that have another name. */
const SQL_TYPES: ReadonlyMap<string, string> = new Map([
  ['double', 'double precision'],
  ['enum', 'text'],
]);

function withDefault(parameter: ToolParameter): ToolParameter {
  const fallback = PARAMETER_DEFAULTS.get(parameter.name);
  if (fallback === undefined) return parameter;
  return { ...parameter, required: false, fallback: parameter.fallback ?? fallback };
}

/** A parameter that the template does not use by name. */
function unused(name: string): Parameter {
  return {
    name,
    required: false,
    list: false,
    fallback: undefined,
    type: undefined,
    identifier: false,
    integer: false,
    interpolated: false,
    flag: false,
    values: [],
  };
}
