/**
 * When a script fails: the smallest set of conditions that failing combinations have in common and under which none is good.
 * Where one set does not explain all of them, several do, each for a part.
 */
import type { Option, Path } from './option.js';

/** What holds for the value of a parameter. */
export interface Condition {
  readonly key: string;
  /** Follows the parameter's name: `is sent`. */
  readonly says: string;
}

/** Conditions that hold together; none means always. */
export type Conjunction = readonly Condition[];

/** Most conditions in a smallest set, most sets, and most combinations that are compared. */
const MOST_CONDITIONS = 4;
const MOST_SETS = 4;
const MOST_PATHS = 1_000;
/** Most choices in the combinations that are compared: with many parameters these are fewer. */
const MOST_CHOICES = 50_000;
/** Most comparisons in the search for a smallest set. */
const MOST_STEPS = 200_000;

/**
 * explain gives conjunctions, of which at least one holds for each failing path and none for a good one, as far as these
 * bounds allow.
 */
export function explain(failing: readonly Path[], good: readonly Path[]): Conjunction[] {
  const conditions = new Conditions([...failing, ...good]);
  const accepted = sample(good).map((path) => conditions.of(path));
  let left = sample(failing).map((path) => conditions.of(path));
  const found: Conjunction[] = [];
  while (left.length > 0 && found.length < MOST_SETS) {
    const [all, one] = [shared(left), shared(left.slice(0, 1))];
    const smallest =
      smallestOf(all, accepted) ??
      smallestOf(one, accepted) ??
      sufficient(all, accepted) ??
      sufficient(one, accepted) ??
      [];
    if (found.length > 0 && smallest.length === 0) break;
    found.push(smallest);
    left = left.filter((facts) => !smallest.every((condition) => states(facts, condition)));
  }
  return found;
}

/** exactly gives the one conjunction that holds for all of some paths and for none of the others; undefined without one. */
export function exactly(paths: readonly Path[], others: readonly Path[]): Conjunction | undefined {
  const [found, more] = explain(paths, others);
  if (found === undefined || more !== undefined) return undefined;
  const conditions = new Conditions([...paths, ...others]);
  const isExact =
    paths.every((path) => {
      const facts = conditions.of(path);
      return found.every((condition) => states(facts, condition));
    }) &&
    others.every((path) => {
      const facts = conditions.of(path);
      return found.some((condition) => !permits(facts, condition));
    });
  return isExact ? found : undefined;
}

/** Some of all parts of the search: neighbours differ in few parameters. */
function sample(paths: readonly Path[]): readonly Path[] {
  const most = Math.min(MOST_PATHS, Math.ceil(MOST_CHOICES / (1 + (paths[0]?.length ?? 0))));
  const step = paths.length / most;
  if (step <= 1) return paths;
  return Array.from({ length: most }, (_, i) => paths[Math.floor(i * step)]!);
}

/** conditionText: `types` is sent twice and `q` is not sent. */
export function conditionText(conjunction: Conjunction): string {
  if (conjunction.length === 0) return 'always';
  return conjunction.map(({ key, says }) => `\`${key}\` ${says}`).join(' and ');
}

/** whenText is one text for what explain gives for these paths. */
export function whenText(failing: readonly Path[], good: readonly Path[]): string {
  const conjunctions = explain(failing, good);
  if (good.length > 0 && conjunctions.every((conditions) => conditions.length === 0))
    return 'in some combinations';
  return conjunctions.map(conditionText).join(', or ');
}

/** What a path says about each parameter that the template asked for. */
type Facts = ReadonlyMap<string, ReadonlySet<string>>;

function states(facts: Facts, { key, says }: Condition): boolean {
  return facts.get(key)?.has(says) === true;
}

/** A parameter that was not asked for may have any value. */
function permits(facts: Facts, { key, says }: Condition): boolean {
  return facts.get(key)?.has(says) !== false;
}

/** The conditions that hold for an option, depending on the constants that a parameter is compared with. */
class Conditions {
  /** The conditions that only some options of a parameter state: `is "a"`, and of lists `has "a"`. */
  readonly #constants = new Map<string, Set<string>>();
  readonly #items = new Map<string, Set<string>>();
  /** What the values before a constant state. */
  readonly #before = new Map<string, Set<string>>();

  constructor(paths: readonly Path[]) {
    for (const path of paths)
      for (const { key, option } of path) {
        if (option.id === 'before') note(this.#before, key, option.says);
        if (option.id.startsWith('=')) note(this.#constants, key, option.says);
        for (const item of option.has ?? []) note(this.#items, key, JSON.stringify(item));
      }
  }

  of(path: Path): Facts {
    return new Map(path.map(({ key, option }) => [key, new Set(this.#ofOption(key, option))]));
  }

  /** Wider ones first where they say it as shortly. */
  *#ofOption(key: string, { id, raw, says, has }: Option): Generator<string> {
    if (raw === undefined) yield says;
    const isEmpty = raw === undefined || raw === null || raw.length === 0;
    if (raw !== undefined) yield 'is sent';
    if (!isEmpty) yield 'has a value';
    if (raw !== undefined && id !== 'any') yield says;
    if (id.startsWith('=') && /^-?\d+$/.test(id.slice(1))) yield 'is a number';
    if (isEmpty) yield 'is not sent or empty';
    if (typeof raw === 'string') yield 'is sent once';
    const items = new Set((has ?? []).map((item) => JSON.stringify(item)));
    for (const item of items) yield `has ${item}`;
    if (Array.isArray(raw))
      for (const item of this.#items.get(key) ?? [])
        if (!items.has(item)) yield `does not have ${item}`;
    for (const constant of this.#constants.get(key) ?? [])
      if (constant !== says) yield constant.replace('is ', 'is not ');
    // The slot of any value comes after the constants.
    if (id === 'any')
      for (const less of this.#before.get(key) ?? []) yield less.replace('less', 'greater');
  }
}

function note(noted: Map<string, Set<string>>, key: string, what: string): void {
  const known = noted.get(key);
  if (known === undefined) noted.set(key, new Set([what]));
  else known.add(what);
}

/** The conditions that all paths state, in the order of the first one. */
function shared([first, ...others]: readonly Facts[]): Condition[] {
  const own = [...first!].flatMap(([key, facts]) => [...facts].map((says) => ({ key, says })));
  return own.filter((condition) => others.every((facts) => states(facts, condition)));
}

/** The smallest conjunction under which no path is good; undefined without one, or if it takes too long to find. */
function smallestOf(
  conditions: readonly Condition[],
  good: readonly Facts[],
): Conjunction | undefined {
  const budget = { left: MOST_STEPS };
  for (let size = 0; size <= MOST_CONDITIONS; size++) {
    const found = search(conditions, 0, size, good, [], budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Depth-first search for `size` further conditions, after which no good path is left. */
function search(
  conditions: readonly Condition[],
  from: number,
  size: number,
  good: readonly Facts[],
  chosen: Conjunction,
  budget: { left: number },
): Conjunction | undefined {
  if (good.length === 0) return chosen;
  if (size === 0) return undefined;
  for (let i = from; i < conditions.length; i++) {
    if ((budget.left -= good.length) < 0) return undefined;
    const condition = conditions[i]!;
    const left = good.filter((facts) => permits(facts, condition));
    if (left.length === good.length) continue; // it excludes nothing
    const found = search(conditions, i + 1, size - 1, left, [...chosen, condition], budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A conjunction of any size under which no path is good: each time the condition that excludes most. */
function sufficient(
  conditions: readonly Condition[],
  good: readonly Facts[],
): Conjunction | undefined {
  const chosen: Condition[] = [];
  let left = good;
  while (left.length > 0) {
    let [best, fewest]: [Condition | undefined, readonly Facts[]] = [undefined, left];
    for (const condition of conditions) {
      const others = left.filter((facts) => permits(facts, condition));
      if (others.length < fewest.length) [best, fewest] = [condition, others];
    }
    if (best === undefined) return undefined;
    chosen.push(best);
    left = fewest;
  }
  return chosen;
}
