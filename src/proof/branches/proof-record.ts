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

/** recordOf gives the record of a proof, the rest of which needs much memory; `typesOf` looks types up by OID. */
export async function recordOf(
  proof: Proof,
  typesOf: (oids: ReadonlySet<number>) => Promise<ReadonlyMap<number, SqlType>>,
): Promise<AnalysedRecord> {
  const { verdict, findings, open, parameters, columns, columnsWhen, uses, denied } = proof;
  const oids = new Set([
    ...parameters.flatMap(({ types }) => types),
    ...columns.flatMap((form) => form.map(({ type }) => type)),
  ]);
  const known = await typesOf(oids);
  const nameOf = (type: number): string => known.get(type)?.name ?? String(type);
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
    combinations: proof.exploration.renderings,
    texts: proof.exploration.shapes.length,
    statements: proof.asked,
  };
}

/** plainRecord is a record without what the statements use, which needs much memory. */
export function plainRecord(record: ProofRecord): ProofRecord {
  const { verdict, findings, open, parameters, columns, columnsWhen } = record;
  const { combinations, texts, statements } = record;
  const shown = { verdict, findings, open, parameters, columns, columnsWhen };
  return { ...shown, combinations, texts, statements };
}

function positionOf(place: Position | undefined): Partial<Position> {
  return place === undefined ? {} : { line: place.line, column: place.column };
}
