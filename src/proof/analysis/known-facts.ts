/**
 * The facts about the objects of a database, each read once: most statements of a service use the same few tables. They hold
 * as long as the catalogs do not change.
 */
import { StatementFailure, type ServiceDatabase } from '../../postgres/statement/queryable.js';
import { arrayLiteral } from '../../base/quote.js';
import { sortedBy } from '../../base/text.js';
import {
  CATALOG_FACTS,
  oidsIn,
  readFacts,
  type ObjectFacts,
  type RelationFacts,
  type FunctionFacts,
  type StatementFacts,
  type TreeOids,
} from './catalog-facts.js';

/** The stored tree of a statement, and references to its dependencies. */
export interface StatementTree {
  readonly tree: string;
  readonly references: readonly string[];
}

export class KnownFacts {
  readonly #database: ServiceDatabase;
  readonly #views = new Map<number, string>();
  readonly #relations = new Map<number, RelationFacts>();
  readonly #functions = new Map<number, FunctionFacts>();
  readonly #operators = new Map<number, string>();
  readonly #objects = new Map<string, ObjectFacts>();
  /** The OIDs in the trees of views. */
  readonly #below = new Map<number, TreeOids>();
  /** What was asked about: OIDs of any kind of object, and references. */
  readonly #asked = new Set<number | string>();

  constructor(database: ServiceDatabase) {
    this.#database = database;
  }

  /** of gives the facts about a statement; it may wait for `limit` ms. Rejects with StatementFailure. */
  async of({ tree, references }: StatementTree, limit: number): Promise<StatementFacts> {
    const used = oidsIn(tree);
    await this.#learn(used, references, limit);
    const relations = new Set(used.relations);
    const functions = new Set(used.functions);
    const operators = new Set(used.operators);
    // The loop also visits the members that it adds: views below views.
    for (const relation of relations) {
      const below = this.#below.get(relation);
      below?.relations.forEach((oid) => relations.add(oid));
      below?.functions.forEach((oid) => functions.add(oid));
      below?.operators.forEach((oid) => operators.add(oid));
    }
    return {
      tree,
      views: some(this.#views, relations),
      relations: some(this.#relations, relations),
      functions: some(this.#functions, functions),
      operators: some(this.#operators, operators),
      objects: sortedBy(
        some(this.#objects, references).values(),
        ({ type, identity }) => `${type} ${identity}`,
      ),
    };
  }

  async #learn(used: TreeOids, references: readonly string[], limit: number): Promise<void> {
    const unknown = [used.relations, used.functions, used.operators, references].map((keys) =>
      [...keys].filter((key) => key !== 0 && !this.#asked.has(key)),
    );
    if (unknown.every((keys) => keys.length === 0)) return;
    const values = unknown.map((keys) => arrayLiteral(keys.map(String)));
    const { result, failure } = await this.#database.queryWithin(limit, CATALOG_FACTS, values, {
      alone: true,
      name: 'facts about the objects of scripts',
      recurs: true,
    });
    if (failure !== undefined) throw new StatementFailure(failure);
    const facts = readFacts(result.rows![0]![0]!);
    for (const [oid, tree] of facts.views) {
      this.#views.set(oid, tree);
      this.#below.set(oid, oidsIn(tree));
    }
    copy(facts.relations, this.#relations);
    copy(facts.functions, this.#functions);
    copy(facts.operators, this.#operators);
    copy(facts.objects, this.#objects);
    for (const key of unknown.flat()) this.#asked.add(key);
  }
}

function copy<Key, Value>(from: ReadonlyMap<Key, Value>, to: Map<Key, Value>): void {
  for (const [key, value] of from) to.set(key, value);
}

/** The entries with these keys, where there are any. */
function some<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  keys: Iterable<Key>,
): ReadonlyMap<Key, Value> {
  const found = new Map<Key, Value>();
  for (const key of keys) {
    const value = map.get(key);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}
