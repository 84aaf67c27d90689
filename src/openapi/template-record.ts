/**
 * What a template itself shows about a script without a proof, in the form of a proof: its parameters, with the types that
 * they are cast to. Of its result nothing is known.
 */
import type { ProofRecord, RecordedParameter } from '../proofs.js';
import type { Parameter, TemplateParameters } from '../template/parameters.js';

export const NOT_PROVED = 'the script is not proved yet';

export function templateRecord({ list }: TemplateParameters): ProofRecord {
  return {
    verdict: 'open',
    findings: [],
    open: [{ what: NOT_PROVED }],
    parameters: list.map(recorded),
    columns: [],
    combinations: 0,
    texts: 0,
    statements: 0,
  };
}

function recorded({ name, required, list, type, values }: Parameter): RecordedParameter {
  return {
    name,
    required,
    neededWhen: undefined,
    types: type === undefined ? [] : [fullName(type)],
    list,
    values,
  };
}

/** The name of a type as PostgreSQL shows it, for one as it is written in a cast. */
function fullName(written: string): string {
  const [, name = '', brackets = ''] =
    /^(?:pg_catalog\.)?(.*?)(?: ?\([^)]*\))?((?:\[\])*)$/.exec(written) ?? [];
  return (NAMES.get(name) ?? name) + brackets;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['int', 'integer'],
  ['int4', 'integer'],
  ['int2', 'smallint'],
  ['int8', 'bigint'],
  ['decimal', 'numeric'],
  ['float', 'double precision'],
  ['float4', 'real'],
  ['float8', 'double precision'],
  ['bool', 'boolean'],
  ['varchar', 'character varying'],
  ['char', 'character'],
  ['bpchar', 'character'],
  ['varbit', 'bit varying'],
  ['time', 'time without time zone'],
  ['timetz', 'time with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamptz', 'timestamp with time zone'],
]);
