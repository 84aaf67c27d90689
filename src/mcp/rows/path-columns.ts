/**
 * The columns of a table and of the tables that it references, by paths along foreign keys: `customer.country`,
 * `product.category.name`. Each step has the names that `include` takes. A row references one row at most, so that joins
 * add no rows. A key, table or column that the caller may not read is reported as unknown.
 */
import { ArgumentError, listNames, nearestHint, shorten } from '../arguments/argument-error.js';
import { columnOf, type Columns } from './filters.js';
import type { Column, Table, TableKeys } from '../tables/table.js';
import { choiceOf, outwardRelations, type Relation } from '../tables/table-relations.js';

/** Join is a table that is joined along a foreign key of another one. */
export interface Join {
  /** The alias of the referenced table in the statement. */
  readonly alias: string;
  /** The alias of the table with the key. */
  readonly from: string;
  readonly relation: Relation;
}

/** Maximum of joins in a statement, and of foreign keys in a path. */
const MAX_JOINS = 10;
const MAX_STEPS = 3;

/** Longest path, characters: four names with their schemas. */
const LONGEST = 600;

interface Joined {
  readonly alias: string;
  readonly table: Table;
  readonly steps: number;
}

export class PathColumns implements Columns {
  readonly columns: Table['columns'];
  readonly byName: Table['byName'];
  /** The joins of the columns found so far, each after the one that it is joined to. */
  readonly joins: Join[] = [];
  readonly #root: Joined;
  readonly #keysOf: (table: Table) => TableKeys;
  readonly #relations = new Map<string, readonly Relation[]>();

  /** `alias` names the table in the statement; `keysOf` gives the keys that the caller may follow. */
  constructor(table: Table, alias: string, keysOf: (table: Table) => TableKeys) {
    this.columns = table.columns;
    this.byName = table.byName;
    this.#root = { alias, table, steps: 0 };
    this.#keysOf = keysOf;
  }

  /**
   * along finds a column by a path of at least one key; undefined if the text is not one. Throws ArgumentError if a step or
   * the column is unknown.
   */
  along(path: string, where: string): Column | undefined {
    if (path.length > LONGEST || this.#relationsOf(this.#root).length === 0) return undefined;
    let at = this.#root;
    let rest = path;
    while (!at.table.byName.has(rest)) {
      const step = this.#step(at, rest, path, where);
      if (step === undefined) {
        if (at === this.#root) return undefined;
        return columnOf(at.table, rest, `${where}, ${at.table.name}`);
      }
      at = this.#joined(at, step.relation, where);
      rest = rest.slice(step.name.length + 1);
    }
    // A row may reference none.
    return { ...at.table.byName.get(rest)!, nullable: true, relation: at.alias };
  }

  /** The key that a path goes along next, with its name there; undefined if nothing but a column is left. */
  #step(
    at: Joined,
    rest: string,
    path: string,
    where: string,
  ): { readonly relation: Relation; readonly name: string } | undefined {
    const relations = this.#relationsOf(at);
    const follow = (names: (relation: Relation) => readonly string[]) =>
      relations.flatMap((relation) => {
        const name = names(relation).find((one) => rest.startsWith(`${one}.`));
        return name === undefined ? [] : [{ relation, name }];
      });
    let found = follow(({ names }) => names);
    if (found.length === 0) found = follow(({ also }) => also);
    const [step] = found;
    if (step !== undefined && found.length === 1) return step;
    const choices = (of: readonly Relation[]): string[] =>
      of.map((one) => choiceOf(one, relations));
    if (step !== undefined) {
      const several = listNames(choices(found.map(({ relation }) => relation)));
      throw new ArgumentError(
        `${where}: "${shorten(step.name)}" means several foreign keys. Name one of: ${several}.`,
      );
    }
    const names = choices(relations);
    if (relations.some((one) => [...one.names, ...one.also].includes(rest)))
      throw new ArgumentError(
        `${where}: ${shorten(path)} is a table. Name a column of it: "${shorten(path)}.…".`,
      );
    if (!rest.includes('.')) return undefined;
    const [first] = rest.split('.') as [string];
    const list =
      names.length === 0
        ? `${shorten(at.table.name)} references no table that you may read.`
        : `The tables that ${shorten(at.table.name)} references are: ${listNames(names)}.`;
    throw new ArgumentError(
      `unknown column: ${shorten(path)} (in ${where}).${nearestHint(first, names)} ${list}`,
      { uncertain: true },
    );
  }

  #relationsOf({ alias, table }: Joined): readonly Relation[] {
    let relations = this.#relations.get(alias);
    if (relations === undefined) {
      relations = outwardRelations(this.#keysOf(table));
      this.#relations.set(alias, relations);
    }
    return relations;
  }

  /** The table that a key leads to, joined once for all paths along it. */
  #joined({ alias: from, steps }: Joined, relation: Relation, where: string): Joined {
    const { key } = relation;
    if (steps === MAX_STEPS)
      throw new ArgumentError(`${where}: a path has at most ${MAX_STEPS} foreign keys.`);
    let join = this.joins.find((one) => one.relation === relation);
    if (join === undefined) {
      if (this.joins.length === MAX_JOINS)
        throw new ArgumentError(
          `${where}: paths lead to more than ${MAX_JOINS} tables; ${MAX_JOINS} are allowed at one time.`,
        );
      join = { alias: `j${this.joins.length}`, from, relation };
      this.joins.push(join);
    }
    return { alias: join.alias, table: key.referenced, steps: steps + 1 };
  }
}
