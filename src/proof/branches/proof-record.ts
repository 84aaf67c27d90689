/** A proof as plain data, with the names of types: for output, and to be kept. */
import type { Position } from '../../base/position.js';
import type { ProofRecord } from '../../messages/proofs.js';
import type { SqlType } from './catalog.js';
import type { Denial } from './privileges.js';
import type { Proof } from './proof.js';
import type { StatementUses } from './statement-uses.js';

/** The record of a proof, with what its statements use when they were analysed. */
export interface AnalysedRecord extends ProofRecord, Partial<StatementUses> {
  /** The privileges that roles lack; undefined when the statements were not to be analysed. */
  readonly denied?: readonly Denial[];
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

/** recordOf gives the record; `known` has the types of typesIn. */
export function recordOf(proof: KeptProof, known: ReadonlyMap<number, SqlType>): AnalysedRecord {
  const nameOf = (type: number): string => known.get(type)?.name ?? String(type);
  const { verdict, findings, open, parameters, columns, columnsWhen, uses, denied } = proof;
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
    parameters: parameters.map(({ types, ...parameter }) => {
      const [type, more] = types;
      const labels = type === undefined || more !== undefined ? undefined : known.get(type)?.labels;
      return {
        ...parameter,
        types: types.map(nameOf).sort(),
        ...(labels === undefined ? {} : { labels }),
      };
    }),
    columns: columns.map((form) =>
      form.map(({ name, type, nullable }) => ({ name, type: nameOf(type), nullable })),
    ),
    columnsWhen: columnsWhen.map(
      (conditions) => conditions?.map(({ key, says }) => ({ name: key, says })) ?? null,
    ),
    ...uses,
    ...(denied === undefined ? {} : { denied }),
    combinations,
    texts,
    statements,
  };
}

function positionOf(place: Position | undefined): Partial<Position> {
  return place === undefined ? {} : { line: place.line, column: place.column };
}
