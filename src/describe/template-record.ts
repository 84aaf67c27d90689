/**
 * What a template itself shows about a script without a proof, in the form of a proof: its parameters, with the types that
 * they are cast to. Of its result nothing is known.
 */
import { fullType } from '../base/sql-types.js';
import type { Head } from '../script/head/head.js';
import { NOTHING_SHOWN, type ProofRecord, type RecordedParameter } from '../messages/proofs.js';
import { PARAMETER_DEFAULTS } from '../script/request/request-data.js';
import type { Parameter, TemplateParameters } from '../template/parameters.js';

export const NOT_PROVED = 'the script is not proved yet';

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
