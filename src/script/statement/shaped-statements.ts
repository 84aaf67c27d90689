/**
 * The statements of reads whose head asks for more than a list: one row as an object, one value, or header lines from a
 * column. PostgreSQL makes the JSON of these too, and fetches two rows at most of a script with one.
 */
import type { Head } from '../head/head.js';
import { identifier } from '../../base/quote.js';
import { columnsOf } from '../head-columns.js';
import { fits, StatementBuilder, type JsonAggregate, type ReadFrame } from './statement.js';

interface ShapedJson {
  /** Of the rows `s`: NULL for none, and an empty text for several where there is to be one. */
  readonly json: string;
  /** The SQL before and after the text, from which the rows come. */
  readonly from: ReadFrame;
}

export class ShapedStatements {
  readonly #aggregate: JsonAggregate;
  readonly #maxResult: number;
  readonly #one: StatementBuilder;
  readonly #scalar: StatementBuilder;
  /** For heads with a header from a column. */
  readonly #others = new WeakMap<Head, StatementBuilder>();

  constructor(aggregate: JsonAggregate, maxResult: number) {
    this.#aggregate = aggregate;
    this.#maxResult = maxResult;
    this.#one = new StatementBuilder(this.#valueFrame('one'));
    this.#scalar = new StatementBuilder(this.#valueFrame('scalar'));
  }

  /** of gives the builder for a head; undefined for the list of all rows without more. */
  of(head: Head): StatementBuilder | undefined {
    const columns = columnsOf(head);
    if (columns.length === 0) {
      if (head.shape === 'list') return undefined;
      return head.shape === 'one' ? this.#one : this.#scalar;
    }
    let builder = this.#others.get(head);
    if (builder === undefined) {
      builder = new StatementBuilder(this.#rowFrame(head.shape, columns));
      this.#others.set(head, builder);
    }
    return builder;
  }

  /** A statement of one value, or of no row when that is larger than allowed. */
  #valueFrame(shape: 'one' | 'scalar'): ReadFrame {
    const { json, from } = this.#jsonOf(shape);
    return {
      head: `SELECT ${json} FROM (${from.head}`,
      tail: `${from.tail}) s HAVING ${fits(json, this.#maxResult)}`,
    };
  }

  /**
   * A statement of one row: the JSON, the columns of the first row as text, and the number of rows; of no row when the JSON
   * is too large.
   */
  #rowFrame(shape: Head['shape'], columns: readonly string[]): ReadFrame {
    const { json, from } = this.#jsonOf(shape);
    const texts = columns.map(
      (column) => `(SELECT ${ROW}.${identifier(column)}::pg_catalog.text FROM s ${ROW} LIMIT 1)`,
    );
    const columnList = [...texts, '(SELECT pg_catalog.count(*) FROM s)'].map(
      (text, i) => `${text} AS h${i}`,
    );
    const row = `SELECT (SELECT ${json} FROM s) AS body, ${columnList.join(', ')} OFFSET 0`;
    return {
      head: `WITH s AS (${from.head}`,
      tail: `${from.tail}) SELECT * FROM (${row}) r WHERE ${fits('body', this.#maxResult)}`,
    };
  }

  #jsonOf(shape: Head['shape']): ShapedJson {
    if (shape === 'list')
      return {
        json: `pg_catalog.${this.#aggregate}(s.*)::pg_catalog.text`,
        from: { head: '\n', tail: '\n' },
      };
    const convert = this.#aggregate === 'json_agg' ? 'pg_catalog.to_json' : 'pg_catalog.to_jsonb';
    const [value, select] =
      shape === 'one'
        ? [`${convert}(s.*)::pg_catalog.text`, 'SELECT s.*']
        : // The subquery fails where there are several columns.
          [
            `coalesce(${convert}(s."@value")::pg_catalog.text, 'null')`,
            'SELECT s.*, (SELECT s.*) AS "@value"',
          ];
    return {
      json: `CASE WHEN ${COUNT} 0 THEN NULL WHEN ${COUNT} 1 THEN pg_catalog.string_agg(${value}, '') ELSE '' END`,
      from: { head: `${select} FROM (\n`, tail: '\n) s LIMIT 2' },
    };
  }
}

/** The comparison of the number of rows. */
const COUNT = 'pg_catalog.count(*) OPERATOR(pg_catalog.=)';

/** The alias of the first row, in the errors of PostgreSQL about its columns. */
const ROW = 'h';
