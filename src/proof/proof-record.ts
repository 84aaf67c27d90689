/** A proof as plain data, with the names of types: for output, and to be kept. */
import type { Position } from '../position.js';
import type { ProvedParameter } from './parameters.js';
import type { Proof, Verdict } from './proof.js';
import type { StatementUses } from './statement-uses.js';

/** `line` and `column` count from 1 and are in the template; undefined if unknown. */
export interface RecordedFinding {
  readonly message: string;
  /** An SQLSTATE, or a code of src/errors.ts. */
  readonly code: string;
  readonly hint?: string;
  readonly line?: number;
  readonly column?: number;
  /** The condition: `types` is sent twice. */
  readonly when: string;
}

export interface RecordedPoint {
  readonly what: string;
  readonly line?: number;
  readonly column?: number;
}

export interface RecordedParameter extends Omit<ProvedParameter, 'types'> {
  /** Names of the types that it is bound with, sorted. */
  readonly types: readonly string[];
}

export interface RecordedColumn {
  readonly name: string;
  readonly type: string;
  /** Also when that cannot be known; undefined when the statements are not analysed. */
  readonly nullable: boolean | undefined;
}

/** What its statements use is there when they were analysed. */
export interface ProofRecord extends Partial<StatementUses> {
  readonly verdict: Verdict;
  readonly findings: readonly RecordedFinding[];
  readonly open: readonly RecordedPoint[];
  /** In the order in which the template asks for them. */
  readonly parameters: readonly RecordedParameter[];
  /** The columns of each form that the result has. */
  readonly columns: readonly (readonly RecordedColumn[])[];
  /** How many combinations were rendered, how many texts they gave, and how many statements PostgreSQL parsed. */
  readonly combinations: number;
  readonly texts: number;
  readonly statements: number;
}

/** What has to be kept of a proof for its record: the rest, above all the combinations, needs much memory. */
export type KeptProof = Omit<Proof, 'exploration'> &
  Pick<ProofRecord, 'combinations' | 'texts' | 'statements'>;

export function keptProof({ exploration, ...proof }: Proof): KeptProof {
  const { renderings, shapes } = exploration;
  return { ...proof, combinations: renderings, texts: shapes.length, statements: proof.asked };
}

/** typesIn adds the OIDs of the types in a proof to `types`. */
export function typesIn(proof: KeptProof, types: Set<number>): void {
  for (const parameter of proof.parameters) for (const type of parameter.types) types.add(type);
  for (const form of proof.columns) for (const { type } of form) types.add(type);
}

/** recordOf gives the record; `names` are those of the types. */
export function recordOf(proof: KeptProof, names: ReadonlyMap<number, string>): ProofRecord {
  const nameOf = (type: number): string => names.get(type) ?? String(type);
  const { verdict, findings, open, parameters, columns, uses } = proof;
  const { combinations, texts, statements } = proof;
  return {
    verdict,
    findings: findings.map(({ message, code, hint, place, when }) => ({
      message,
      code,
      ...(hint === undefined ? {} : { hint }),
      ...positionOf(place),
      when,
    })),
    open: open.map(({ what, place }) => ({ what, ...positionOf(place) })),
    parameters: parameters.map(({ types, ...parameter }) => ({
      ...parameter,
      types: types.map(nameOf).sort(),
    })),
    columns: columns.map((form) =>
      form.map(({ name, type, nullable }) => ({ name, type: nameOf(type), nullable })),
    ),
    ...uses,
    combinations,
    texts,
    statements,
  };
}

function positionOf(place: Position | undefined): Partial<Position> {
  return place === undefined ? {} : { line: place.line, column: place.column };
}
