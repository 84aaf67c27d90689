/** What callers may send to a script: parameters, headers and members of a body, with all that is known about each. */
import type { ParameterContract, ScriptContract } from './contract/contract.js';
import { BODY_PREFIX, WHOLE_BODY } from '../script/body/request-body.js';
import type { Head } from '../script/head/head.js';
import { isHeaderName } from '../base/headers.js';
import type { RecordedParameter } from '../messages/proofs.js';
import type { Parameter } from '../template/parameters.js';

export interface Input extends ParameterContract {
  readonly place: 'query' | 'header' | 'body' | 'whole body';
  /** The name without its prefix. */
  readonly key: string;
  /** As declared; empty without one. */
  readonly description: string;
  /** Texts that the script compares it with. */
  readonly compared: readonly string[];
  /** How the template uses it; undefined when it is only declared. */
  readonly use: Parameter | undefined;
}

/** What callers may send, and the claims that the script uses of their tokens. */
export interface Inputs {
  readonly list: readonly Input[];
  readonly claims: readonly string[];
}

const CLAIM = 'claims.';
const HEADER = 'header.';

/** Headers of the connection and of credentials, which are not parameters, and those that OpenAPI describes otherwise. */
const OTHER_HEADERS = /^(?:accept|authorization|content-(?:length|type)|cookie|host)$/i;

export function inputsOf(
  { parameters }: ScriptContract,
  head: Head,
  proved: readonly RecordedParameter[],
  used: readonly Parameter[],
): Inputs {
  const provedBy = new Map(proved.map((parameter) => [parameter.name, parameter]));
  const useOf = new Map(used.map((parameter) => [parameter.name, parameter]));
  const list: Input[] = [];
  for (const parameter of parameters) {
    const { name } = parameter;
    const placed = placeOf(name);
    if (placed === undefined) continue;
    const known = provedBy.get(name);
    list.push({
      ...parameter,
      values: parameter.values ?? enumLabels(known),
      ...placed,
      description: head.parameters.get(name)?.description ?? ABOUT.get(name) ?? '',
      compared: known?.values ?? [],
      use: useOf.get(name),
      default: parameter.default ?? useOf.get(name)?.fallback,
    });
  }
  const claims = parameters.flatMap(({ name }) =>
    name.startsWith(CLAIM) ? [name.slice(CLAIM.length)] : [],
  );
  return { list, claims };
}

/** The labels of an enum where nothing else is a value; an array is one text. */
function enumLabels(proved: RecordedParameter | undefined): readonly string[] | undefined {
  const isOnly = proved?.values.length === 0 && proved.types[0]?.endsWith('[]') === false;
  return isOnly ? proved.labels : undefined;
}

/** Descriptions of parameters that the service itself gives a default. */
const ABOUT: ReadonlyMap<string, string> = new Map([
  ['_page', 'The page, from 1 on.'],
  ['_page_size', 'Rows of a page.'],
]);

/** Undefined for what callers cannot send by that name. */
function placeOf(name: string): Pick<Input, 'place' | 'key'> | undefined {
  if (name === WHOLE_BODY) return { place: 'whole body', key: '' };
  if (name.startsWith(BODY_PREFIX)) return { place: 'body', key: name.slice(BODY_PREFIX.length) };
  if (name.startsWith(HEADER)) {
    const key = name.slice(HEADER.length);
    return OTHER_HEADERS.test(key) || !isHeaderName(key) ? undefined : { place: 'header', key };
  }
  return RESERVED.test(name) ? undefined : { place: 'query', key: name };
}

/** Names that are not read from the query string. */
const RESERVED = /^(?:header|_param|_header)$|^(?:claims|request)\./;
