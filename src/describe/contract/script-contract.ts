/** Makes the contract of a script from its head and its proof. */
import { sortedBy } from '../../base/text.js';
import type { Head } from '../../script/head/head.js';
import type { ProofRecord } from '../../messages/proofs.js';
import { methodsOf, VERBS, type Verb } from '../../script/verb.js';
import { parameterContract, scriptParameters } from '../parameters.js';
import { columnsOf } from '../rows.js';
import { FORMAT, type Contract, type PathContract, type ScriptContract } from './contract.js';

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
  const parameters = scriptParameters(head, proof.parameters, []);
  const forms = proof.columns;
  return {
    script,
    verb,
    verdict: proof.verdict,
    deprecated: deprecatedSince(deprecation),
    strict,
    paths: pathsOf(script, verb, head),
    parameters: sortedBy(parameters, ({ name }) => name).map(parameterContract),
    response: { shape, status, headers: headers.map(({ name }) => name).sort() },
    columns: forms.length === 0 ? null : sortedBy(columnsOf(forms), ({ name }) => name),
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
