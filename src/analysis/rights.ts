/**
 * The part of the analysis that says which rights statements need. It takes a tenth of the time, as only the tree is read in
 * the transaction; what the catalogs say about relations and functions is read once, so an object is for a short time only.
 */
import type { Database } from '../pg/database.js';
import { rowsOf } from '../pg/queryable.js';
import { arrayLiteral } from '../quote.js';
import { onlyQuery, treeOf, type AnalysedStatement } from './analysis.js';
import {
  FIRST_NORMAL,
  INVOKER,
  readFacts,
  type CatalogFacts,
  type FunctionFacts,
  type RelationFacts,
} from './catalog-facts.js';
import { dependenciesOf, type Dependencies } from './dependencies.js';
import { parseTree, TreeError } from './node-tree.js';

export type NeededRights = Pick<Dependencies, 'relations' | 'functions' | 'schemas'>;

/** $1: OIDs of relations, $2: of functions. */
const FACTS =
  "SELECT pg_catalog.json_build_object('tree', '', 'views', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(" +
  "'oid', r.ev_class::int8, 'tree', r.ev_action::text)) FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c " +
  "ON c.oid = r.ev_class WHERE r.ev_class = ANY ($1::oid[]) AND r.ev_type = '1' AND c.relkind = 'v'), " +
  "'relations', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('oid', c.oid::int8, 'schema', n.nspname, " +
  "'name', c.relname, 'kind', c.relkind, 'owner', c.relowner::int8, 'rules', c.relhasrules, " +
  `'invoker', ${INVOKER}, 'columns', COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object(` +
  "'number', a.attnum, 'name', a.attname, 'notNull', false)) FROM pg_catalog.pg_attribute a " +
  "WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '[]'))) FROM pg_catalog.pg_class c " +
  'JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY ($1::oid[])), ' +
  "'functions', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('oid', p.oid::int8, 'schema', n.nspname, " +
  "'name', p.proname, 'arguments', pg_catalog.pg_get_function_identity_arguments(p.oid), 'kind', p.prokind, " +
  "'volatility', p.provolatile, 'source', '', 'builtIn', false)) FROM pg_catalog.pg_proc p " +
  'JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE p.oid = ANY ($2::oid[])))';

export class RightsAnalyser {
  readonly #database: Database;
  readonly #views = new Map<number, string>();
  readonly #relations = new Map<number, RelationFacts>();
  readonly #functions = new Map<number, FunctionFacts>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** analyse resolves, and rejects, as analyse of analysis.ts does. */
  async analyse(statement: AnalysedStatement, limit: number): Promise<NeededRights | undefined> {
    const tree = await treeOf(this.#database, statement, limit);
    if (tree === undefined) return undefined;
    await this.#learn(tree);
    try {
      const value = parseTree(tree);
      if (onlyQuery(value) === undefined) return undefined;
      const { relations, functions, schemas } = dependenciesOf(value, this.#facts(tree));
      return { relations, functions: functions.filter(({ direct }) => direct), schemas };
    } catch (error) {
      if (error instanceof TreeError) return undefined;
      throw error;
    }
  }

  #facts(tree: string): CatalogFacts {
    return {
      tree,
      views: this.#views,
      relations: this.#relations,
      functions: this.#functions,
      operators: new Map(),
      objects: [],
    };
  }

  /** Reads what is not known yet of the objects in a tree, and in the trees of its views. */
  async #learn(tree: string): Promise<void> {
    for (let trees = [tree]; trees.length > 0;) {
      const relations = oidsIn(trees, /:relid (\d+)/g).filter((oid) => !this.#relations.has(oid));
      const functions = oidsIn(trees, /:(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)/g).filter(
        (oid) => oid >= FIRST_NORMAL && !this.#functions.has(oid),
      );
      if (relations.length + functions.length === 0) return;
      const values = [relations, functions].map((oids) => arrayLiteral(oids.map(String)));
      const [row] = await rowsOf(this.#database, FACTS, values);
      const facts = readFacts(row![0]!);
      for (const [oid, relation] of facts.relations) this.#relations.set(oid, relation);
      for (const [oid, called] of facts.functions) this.#functions.set(oid, called);
      for (const [oid, view] of facts.views) this.#views.set(oid, view);
      trees = [...facts.views.values()];
    }
  }
}

function oidsIn(trees: readonly string[], field: RegExp): number[] {
  const found = trees.flatMap((tree) => [...tree.matchAll(field)].map(([, oid]) => Number(oid)));
  return [...new Set(found)].filter((oid) => oid !== 0);
}
