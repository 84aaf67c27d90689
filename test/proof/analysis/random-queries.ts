/** Random queries over the tables of nullability-cases.ts: joins, subqueries, groups, set operations, conditions. */

/** Random draws by a seed (mulberry32). */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

/** What a FROM item offers: SQL, and its columns, which are all integers. */
interface Item {
  readonly sql: string;
  readonly columns: readonly string[];
}

/** Relations with integers; the first column is the one for USING. */
const RELATIONS: readonly (readonly [name: string, columns: readonly string[]])[] = [
  ['people', ['id', 'boss']],
  ['orders', ['id', 'person']],
  ['gaps', ['id', 'x']],
  ['nothing', ['id', 'x']],
  ['joined', ['id', '"order"']],
  ['parted', ['id', 'x']],
];

const JOINS = ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'];
const COMPARISONS = ['=', '<', '>=', '<>'];

export class RandomQueries {
  readonly #draw: Draw;
  #names = 0;

  constructor(seed: number) {
    this.#draw = new Draw(seed);
  }

  /** query is a query with `width` columns of integers. */
  query(width: number, depth = 3): string {
    const draw = this.#draw;
    if (depth > 0 && draw.chance(12)) {
      const operation = draw.one(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL']);
      return `(${this.query(width, depth - 1)}) ${operation} (${this.query(width, depth - 1)})`;
    }
    if (depth > 0 && draw.chance(12)) {
      const name = this.#name();
      const columns = ['p', 'q'];
      const body = `${name}(p, q) AS (${this.query(2, depth - 1)})`;
      return `WITH ${body} ${this.#select(width, depth - 1, { sql: name, columns: columns.map((c) => `${name}.${c}`) })}`;
    }
    return this.#select(width, depth);
  }

  #name(): string {
    return `t${++this.#names}`;
  }

  #select(width: number, depth: number, given?: Item): string {
    const draw = this.#draw;
    const from = given ?? this.#from(depth);
    const where = draw.chance(45) ? ` WHERE ${this.#condition(from)}` : '';
    if (!draw.chance(30)) {
      const list = this.#times(width, () => this.#expression(from, depth));
      return `SELECT ${list} FROM ${from.sql}${where}`;
    }
    const keys = [this.#value(from), this.#value(from)];
    const list = this.#times(width, () => this.#grouped(from, keys));
    const grouping = draw.one(['%', '%', 'ROLLUP (%)', 'CUBE (%)', 'GROUPING SETS ((%), ())', '']);
    const by = grouping === '' ? '' : ` GROUP BY ${grouping.replace('%', keys.join(', '))}`;
    const plain = by === '' ? this.#times(width, () => this.#aggregate(from)) : list;
    return `SELECT ${plain} FROM ${from.sql}${where}${by}`;
  }

  #times(count: number, make: () => string): string {
    return Array.from({ length: count }, (_, i) => `${make()} AS c${i}`).join(', ');
  }

  #from(depth: number): Item {
    const draw = this.#draw;
    let item = this.#table(depth);
    for (let joins = draw.below(4); joins > 0; joins--) item = this.#join(item, depth);
    return item;
  }

  #join(left: Item, depth: number): Item {
    const draw = this.#draw;
    const right = draw.chance(20) && depth > 0 ? this.#nested(depth) : this.#table(depth);
    const columns = [...left.columns, ...right.columns];
    const type = draw.one(JOINS);
    // The merged column is known by the alias of the join only.
    if (draw.chance(30) && left.columns.length === 2 && right.columns.length === 2) {
      const name = this.#name();
      const ids = [left, right].map(({ sql, columns: [id] }) => ({ sql, id: id! }));
      const sides = ids.map(({ sql, id }) => `(SELECT ${id} AS k FROM ${sql}) ${this.#name()}`);
      return { sql: `(${sides.join(` ${type} `)} USING (k)) ${name}`, columns: [`${name}.k`] };
    }
    // FULL JOIN needs a condition that can be hashed.
    const on =
      type === 'FULL JOIN'
        ? `${draw.one(left.columns)} = ${draw.one(right.columns)}`
        : this.#condition({ sql: '', columns });
    return { sql: `${left.sql} ${type} ${right.sql} ON ${on}`, columns };
  }

  #nested(depth: number): Item {
    const item = this.#join(this.#table(depth - 1), depth - 1);
    // One with USING has its parentheses.
    return item.columns.length === 1 ? item : { ...item, sql: `(${item.sql})` };
  }

  #table(depth: number): Item {
    const draw = this.#draw;
    const name = this.#name();
    if (depth > 0 && draw.chance(20))
      return {
        sql: `(${this.query(2, depth - 1)}) ${name}(a, b)`,
        columns: [`${name}.a`, `${name}.b`],
      };
    if (draw.chance(10))
      return {
        sql: `(VALUES (1, 2), (${draw.one(['3', 'NULL'])}, 4)) ${name}(a, b)`,
        columns: [`${name}.a`, `${name}.b`],
      };
    if (draw.chance(8))
      return { sql: `generate_series(1, 2) WITH ORDINALITY ${name}(a, b)`, columns: [`${name}.a`] };
    const [table, columns] = draw.one(RELATIONS);
    return { sql: `${table} ${name}`, columns: columns.map((column) => `${name}.${column}`) };
  }

  #condition(from: Item): string {
    const draw = this.#draw;
    if (draw.chance(20))
      return `${this.#condition(from)} ${draw.one(['AND', 'AND', 'OR'])} ${this.#condition(from)}`;
    const value = this.#value(from);
    return draw.one([
      `${value} ${draw.one(COMPARISONS)} ${this.#value(from)}`,
      `${value} IS ${draw.one(['', 'NOT '])}NULL`,
      `${value} IN (1, 2)`,
      `NOT (${value} ${draw.one(COMPARISONS)} 2)`,
      `(${value} > 1) IS ${draw.one(['', 'NOT '])}${draw.one(['TRUE', 'FALSE', 'UNKNOWN'])}`,
      `${value} = ${draw.one(['ANY', 'ALL'])} (ARRAY[1, 2])`,
    ]);
  }

  #value(from: Item): string {
    const column = this.#draw.one(from.columns);
    return this.#draw.chance(15) ? `COALESCE(${column}, ${this.#draw.one(from.columns)})` : column;
  }

  #expression(from: Item, depth: number): string {
    const draw = this.#draw;
    const value = this.#value(from);
    if (depth > 0 && draw.chance(8))
      return `(SELECT max(c0) FROM (${this.query(1, depth - 1)}) ${this.#name()})`;
    if (depth > 0 && draw.chance(8)) {
      const name = this.#name();
      return `(SELECT count(*)::int + ${value} FROM (${this.query(1, depth - 1)}) ${name})`;
    }
    return draw.one([
      value,
      value,
      value,
      `${value} + ${this.#value(from)}`,
      `COALESCE(${value}, 7)`,
      `NULLIF(${value}, 1)`,
      `CASE WHEN ${this.#condition(from)} THEN ${value} ELSE ${this.#value(from)} END`,
      `GREATEST(${value}, ${this.#value(from)})`,
      `(SELECT ${value})`,
      `(sum(${value}) OVER (ORDER BY ${this.#value(from)}))::int`,
      `length(${value}::text)`,
    ]);
  }

  #grouped(from: Item, keys: readonly string[]): string {
    const draw = this.#draw;
    const key = draw.one(keys);
    if (draw.chance(40)) return this.#aggregate(from);
    return draw.one([
      key,
      key,
      `COALESCE(${key}, 7)`,
      key.startsWith('COALESCE') ? key : `(SELECT ${key})`,
      `${key} + 1`,
    ]);
  }

  #aggregate(from: Item): string {
    const value = this.#value(from);
    return this.#draw.one([
      `max(${value})`,
      `sum(${value})::int`,
      `count(${value})::int`,
      `cardinality(array_agg(${value}))`,
      `max(${value}) FILTER (WHERE ${value} > 1)`,
    ]);
  }
}
