/** Makes the contract of a script from its head and its proof. */
import { sortedBy } from '../../base/text.js';
import type { DeclaredParameter } from '../../script/head/declared-parameter.js';
import type { Head } from '../../script/head/head.js';
import type { ProofRecord, RecordedParameter } from '../../messages/proofs.js';
import { CREDENTIAL_NAMES } from '../../script/request/header-fields.js';
import { PARAMETER_DEFAULTS } from '../../script/request/request-data.js';
import { methodsOf, VERBS, type Verb } from '../../script/verb.js';
import type {
  ColumnContract,
  Contract,
  ParameterContract,
  PathContract,
  ScriptContract,
} from './contract.js';
import { FORMAT } from './contract.js';

/** A text of a script with its proof. */
export interface ContractSource {
  /** `[alias/]folder/name`. */
  readonly script: string;
  readonly verb: Verb;
  readonly head: Head;
  readonly proof: ProofRecord;
}

/** contractOf sorts the contracts of scripts. */
export function contractOf(scripts: readonly ContractSource[]): Contract {
  const order = ({ script, verb }: ScriptContract): string => `${script} ${VERBS.indexOf(verb)}`;
  return { format: FORMAT, scripts: sortedBy(scripts.map(scriptContract), order) };
}

export function scriptContract({ script, verb, head, proof }: ContractSource): ScriptContract {
  const { shape, status, headers, strict, deprecation } = head;
  return {
    script,
    verb,
    verdict: proof.verdict,
    deprecated: deprecatedSince(deprecation),
    strict,
    paths: pathsOf(script, verb, head),
    parameters: parametersOf(head, proof),
    response: { shape, status, headers: headers.map(({ name }) => name).sort() },
    columns: columnsOf(proof.columns),
  };
}

/** The day of a Deprecation header (RFC 9745). */
function deprecatedSince(deprecation: string | undefined): boolean | string {
  if (deprecation === undefined) return false;
  const seconds = /^@(-?\d+)$/.exec(deprecation)?.[1];
  if (seconds === undefined) return true;
  return new Date(Number(seconds) * 1_000).toISOString().slice(0, 10);
}

function pathsOf(script: string, verb: Verb, { routes }: Head): PathContract[] {
  const own = { path: `/_QUERIES/${script}`, methods: methodsOf(verb) };
  const paths = [own, ...routes.map(({ path, methods }) => ({ path, methods }))];
  return sortedBy(paths, ({ path }) => path);
}

function parametersOf({ parameters: declared }: Head, proof: ProofRecord): ParameterContract[] {
  const proved = proof.parameters
    .filter(({ name }) => !CREDENTIAL_NAMES.has(name))
    .map((parameter) => {
      const own = declared.get(parameter.name);
      return own === undefined ? undeclared(parameter) : declaredAs(own, parameter);
    });
  const known = new Set(proved.map(({ name }) => name));
  const others = [...declared.values()].filter(({ name }) => !known.has(name));
  return sortedBy([...proved, ...others.map((one) => declaredAs(one))], ({ name }) => name);
}

function undeclared(parameter: RecordedParameter): ParameterContract {
  const { name, types, required, neededWhen, list } = parameter;
  return { name, types, required, neededWhen, list, default: PARAMETER_DEFAULTS.get(name) };
}

function declaredAs(declared: DeclaredParameter, proved?: RecordedParameter): ParameterContract {
  const { name, type, values, bounds, list, fallback } = declared;
  const { min, max, minlength, maxlength, pattern } = bounds;
  const required = declared.required || proved?.required === true;
  return {
    name,
    types: [TYPE_NAMES.get(type) ?? type],
    required,
    neededWhen: required ? undefined : proved?.neededWhen,
    list,
    values,
    min,
    max,
    minlength,
    maxlength,
    pattern,
    default: fallback,
  };
}

/** PostgreSQL's names of declared types that it names otherwise. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['double', 'double precision'],
  ['time', 'time without time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamptz', 'timestamp with time zone'],
  ['enum', 'text'],
]);

/** columnsOf merges the columns of the forms of a result; null when no form is known. */
export function columnsOf(forms: ProofRecord['columns']): ColumnContract[] | null {
  if (forms.length === 0) return null;
  const names = new Set(forms.flatMap((form) => form.map(({ name }) => name)));
  const columns = [...names].map((name): ColumnContract => {
    const found = forms.flatMap((form) => form.filter((column) => column.name === name));
    return {
      name,
      types: [...new Set(found.map(({ type }) => type))].sort(),
      nullable: found.some(({ nullable }) => nullable !== false),
      always: forms.every((form) => form.some((column) => column.name === name)),
    };
  });
  return sortedBy(columns, ({ name }) => name);
}
