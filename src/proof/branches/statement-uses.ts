/** What several statements use together. */
import { sortedBy } from '../../base/text.js';
import type { Analysis } from '../analysis/analysis.js';
import type {
  NeededRight,
  NeededRights,
  Right,
  UsedFunction,
  UsedRelation,
  Volatility,
} from '../analysis/dependencies.js';
import type { ObjectFacts } from '../analysis/catalog-facts.js';

export interface StatementUses {
  /** With the rights that they need, sorted as in Analysis. */
  readonly relations: readonly UsedRelation[];
  readonly functions: readonly UsedFunction[];
  /** Of what the statements name. */
  readonly schemas: readonly string[];
  readonly objects: readonly ObjectFacts[];
  /** That of the most volatile one. */
  readonly volatility: Volatility;
  /** Whether PostgreSQL runs all of them in a READ ONLY transaction. */
  readonly readOnly: boolean;
}

/** usesOf merges what at least one statement uses. */
export function usesOf(analyses: readonly Analysis[]): StatementUses {
  const objects = new Map<string, ObjectFacts>();
  for (const analysis of analyses)
    for (const one of analysis.objects) objects.set(`${one.type} ${one.identity}`, one);
  return {
    ...rightsOf(analyses),
    objects: sortedBy(objects.values(), ({ type, identity }) => `${type}\0${identity}`),
    volatility: VOLATILITIES.find((each) =>
      analyses.some(({ volatility }) => volatility === each),
    )!,
    readOnly: analyses.every(({ readOnly }) => readOnly),
  };
}

/** rightsOf merges what statements need. */
export function rightsOf(analyses: readonly NeededRights[]): NeededRights {
  const relations = new Map<string, UsedRelation>();
  const functions = new Map<number, UsedFunction>();
  for (const analysis of analyses) {
    for (const one of analysis.relations) {
      const key = `${one.oid} ${one.owner ?? ''}`;
      const known = relations.get(key);
      const rights = known === undefined ? one.rights : mergedRights(known.rights, one.rights);
      relations.set(key, { ...one, rights });
    }
    for (const one of analysis.functions) {
      const direct = one.direct || functions.get(one.oid)?.direct === true;
      functions.set(one.oid, { ...one, direct });
    }
  }
  return {
    relations: sortedBy(relations.values(), ({ direct, schema, name }) =>
      [direct ? '' : ' ', schema, name].join('\0'),
    ),
    functions: sortedBy(functions.values(), ({ schema, name, arguments: types }) =>
      [schema, name, types].join('\0'),
    ),
    schemas: [...new Set(analyses.flatMap(({ schemas }) => schemas))].sort(),
  };
}

/** The most volatile first. */
const VOLATILITIES: readonly Volatility[] = ['volatile', 'stable', 'immutable'];
const RIGHTS: readonly Right[] = ['select', 'insert', 'update', 'delete'];

function mergedRights(
  one: readonly NeededRight[],
  other: readonly NeededRight[],
): readonly NeededRight[] {
  const all = [...one, ...other];
  return RIGHTS.flatMap((right): NeededRight[] => {
    const needed = all.filter((each) => each.right === right);
    if (needed.length === 0) return [];
    if (needed.some(({ columns }) => columns === undefined)) return [{ right, columns: undefined }];
    const columns = new Set(needed.flatMap((each) => each.columns ?? []));
    return [{ right, columns: [...columns].sort() }];
  });
}
