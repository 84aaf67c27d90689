/**
 * When a script fails: the smallest set of choices that failing combinations have in common and that no good one has. Where
 * one set does not explain all of them, several do, each for a part.
 */
import type { Option, Path } from './option.js';

/** A choice as a condition: one option of a parameter, or that it was sent, whatever its value. */
export interface Condition {
  readonly key: string;
  /** Follows the parameter's name. */
  readonly says: string;
  readonly id: string;
}

/** Conditions that hold together. */
export type Conjunction = readonly Condition[];

/** Most conditions in a set, most sets, and most combinations that are compared. */
const MOST_CONDITIONS = 4;
const MOST_SETS = 4;
const MOST_PATHS = 1_000;

/**
 * explain gives conjunctions, of which at least one holds for each failing path and none for a good one, as far as these
 * bounds allow. An empty conjunction means always.
 */
export function explain(failing: readonly Path[], good: readonly Path[]): Conjunction[] {
  const goodSets = good.slice(0, MOST_PATHS).map(idsOf);
  let left = failing.slice(0, MOST_PATHS);
  const found: Conjunction[] = [];
  while (left.length > 0 && found.length < MOST_SETS) {
    const shared = conditionsOf(left);
    const [first] = left;
    const smallest =
      smallestOf(shared, goodSets) ?? smallestOf(conditionsOf([first!]), goodSets) ?? [];
    if (found.length > 0 && smallest.length === 0) break;
    found.push(smallest);
    left = left.filter((path) => {
      const ids = idsOf(path);
      return !smallest.every(({ id }) => ids.has(id));
    });
  }
  return found;
}

/** conditionText: `types` is sent twice and `q` is not sent. */
export function conditionText(conjunction: Conjunction): string {
  if (conjunction.length === 0) return 'always';
  return conjunction.map(({ key, says }) => `\`${key}\` ${says}`).join(' and ');
}

/** whenText is one text for all conjunctions. */
export function whenText(conjunctions: readonly Conjunction[]): string {
  return conjunctions.map(conditionText).join(', or ');
}

/** The conditions that hold for an option, wider ones first where they say it as shortly. */
function conditionsOfChoice(key: string, option: Option): Condition[] {
  const { id, raw, says } = option;
  const own = { key, id: `${key}\0${id}`, says };
  if (raw === undefined) return [own, { key, id: `${key}\0${NO}`, says: 'is not sent or empty' }];
  const conditions = [{ key, id: `${key}\0${SENT}`, says: 'is sent' }];
  if (hasValue(option)) conditions.push({ key, id: `${key}\0${YES}`, says: 'has a value' });
  if (id !== 'any') conditions.push(own);
  if (!hasValue(option))
    conditions.push({ key, id: `${key}\0${NO}`, says: 'is not sent or empty' });
  return conditions;
}

const SENT = 'sent';
const YES = 'yes';
const NO = 'no';

function hasValue({ raw }: Option): boolean {
  return raw !== undefined && raw !== null && raw.length > 0;
}

function idsOf(path: Path): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { key, option } of path) {
    ids.add(`${key}\0${option.id}`);
    for (const { id } of conditionsOfChoice(key, option)) ids.add(id);
  }
  return ids;
}

/** The conditions that hold for all paths, in the order of the first one. */
function conditionsOf([first, ...others]: readonly Path[]): Condition[] {
  const own = first!.flatMap(({ key, option }) => conditionsOfChoice(key, option));
  const sets = others.map(idsOf);
  return own.filter(({ id }) => sets.every((ids) => ids.has(id)));
}

/** The smallest conjunction that holds for no good path; undefined when there is none. */
function smallestOf(
  conditions: readonly Condition[],
  good: readonly ReadonlySet<string>[],
): Conjunction | undefined {
  if (good.length === 0) return [];
  for (let size = 1; size <= MOST_CONDITIONS; size++) {
    const found = search(conditions, 0, size, good, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Depth-first search for `size` further conditions, after which no good path is left. */
function search(
  conditions: readonly Condition[],
  from: number,
  size: number,
  good: readonly ReadonlySet<string>[],
  chosen: Conjunction,
): Conjunction | undefined {
  if (good.length === 0) return chosen;
  if (size === 0) return undefined;
  for (let i = from; i < conditions.length; i++) {
    const condition = conditions[i]!;
    const left = good.filter((ids) => ids.has(condition.id));
    if (left.length === good.length) continue; // it excludes nothing
    const found = search(conditions, i + 1, size - 1, left, [...chosen, condition]);
    if (found !== undefined) return found;
  }
  return undefined;
}
