/**
 * Arguments of the MCP tools that read rows: what a caller sent is bound, or is a name in quotes; no word, text or sign of a
 * statement comes from a call. Otherwise the error is one for the model.
 */
import { ArgumentError } from '#app/mcp/arguments/argument-error.js';
import { aggregateQuery, selectQuery } from '#app/mcp/rows/row-query.js';
import { TableSet } from '#app/mcp/tables/table-set.js';
import type { Arguments } from '#app/mcp/arguments/tool.js';
import { isObject } from '#app/base/json.js';
import {
  END,
  NUMBER,
  QUOTED,
  skipComment,
  SqlScanner,
  STRING,
  SYMBOL,
  WORD,
} from '#app/template/sql-scanner.js';
import type { Random } from '../../bench/random.js';
import { column, tableOf } from '../mcp/tested-table.js';
import { JSON_TOKENS, parsedOf } from './json-texts.js';
import { Mutator } from './mutator.js';
import { attempt, expect, type Target } from './target.js';

interface Call {
  readonly aggregates: boolean;
  /** JSON. */
  readonly args: string;
}

const OWNER = tableOf(
  [
    column('id', { type: 'integer', kind: 'integer' }),
    column('name', { position: 2 }),
    column('born', { type: 'date', kind: 'date', position: 3 }),
  ],
  { id: '2', name: 'owner', keys: { primary: [1], foreign: [] } },
);

const ITEM = tableOf(
  [
    column('id', { type: 'integer', kind: 'integer' }),
    column('name', { position: 2 }),
    column('price', { type: 'numeric(10,2)', kind: 'number', position: 3 }),
    column('made', { type: 'date', kind: 'date', position: 4 }),
    column('tags', { type: 'text[]', kind: 'array', position: 5 }),
    column('odd "name"; --', { position: 6 }),
    column('owner_id', { type: 'integer', kind: 'integer', position: 7 }),
  ],
  {
    keys: {
      primary: [1],
      foreign: [{ columns: [7], table: '2', references: [1], inherited: false }],
    },
  },
);

const TABLES = new TableSet([OWNER, ITEM]);

const ARGUMENTS = [
  '{"columns":["id","name"],"filters":{"id":[1,2],"name":"hush"},"order_by":["-price"],"limit":5}',
  '{"filters":{"price":{">=":1.5,"<":"10"},"name":{"like":"a%"}},"offset":10,"total":true}',
  '{"filters":{"tags":["a"],"made":null,"odd \\"name\\"; --":"x"},"include":["owner"]}',
  '{"include":{"owner":{"columns":["name"]}},"columns":"id,name"}',
  '{"group_by":["name",{"column":"made","by":"month","as":"m"}],"aggregates":[{"function":"sum","column":"price","as":"s"}],"having":{"s":{">":1}},"order_by":["-s"]}',
  '{"group_by":["owner_id.name"],"aggregates":[{"function":"count"}],"filters":{"owner_id.id":3},"limit":1}',
];

export function argumentTarget(): Target<Call> {
  const names = ['columns', 'filters', 'order_by', 'limit', 'offset', 'total', 'include', 'group_by', 'aggregates', 'having', 'function', 'column', 'as', 'by', 'zone', 'time_zone']; // prettier-ignore
  const words = ['id', 'name', 'price', 'made', 'tags', 'owner', 'owner_id', 'owner_id.name', 'odd \\"name\\"; --', '*', '-id', 'count', 'sum', 'avg', 'min', 'count_distinct', 'month', 'hour', 'Europe/Berlin', '>', '>=', '!=', 'like', 'ilike', 'in', 'is', "x'; DROP TABLE item --", '%', '']; // prettier-ignore
  const tokens = [...JSON_TOKENS, ...names.map((name) => `"${name}":`), ...words.map((word) => `"${word}"`)]; // prettier-ignore
  const mutator = new Mutator(ARGUMENTS, tokens);
  return {
    name: 'MCP arguments',
    input: (random) => ({ aggregates: random.next() < 0.5, args: soundJson(random, mutator) }),
    run({ aggregates, args }) {
      const query = aggregates ? aggregateQuery : selectQuery;
      const found = attempt(
        () => query(JSON.parse(args) as Arguments, ITEM, TABLES, 1 << 20),
        ArgumentError,
      );
      if (found instanceof ArgumentError) {
        expect(found.message !== '' && found.message.length < 20_000, 'an error says what is wrong'); // prettier-ignore
        return found.message.replace(/[^a-z ].*/is, '').slice(0, 30);
      }
      const { rows, total, values, wanted } = found.text;
      for (const sql of [rows, total ?? '', wanted]) checkSql(sql, values.length);
      return `${aggregates ? 'groups' : 'rows'}, ${Math.min(values.length, 4)} values`;
    },
  };
}

/** JSON of an object: most changes make none. */
function soundJson(random: Random, mutator: Mutator): string {
  for (let tries = 0; tries < 12; tries++) {
    const text = mutator.next(random);
    if (isObject(parsedOf(text)?.value)) return text;
  }
  return random.pick(ARGUMENTS);
}

/** Everything unquoted that a statement has. */
const WORDS = new Set(
  'and any array_agg array_to_json as at avg bigint by coalesce count date date_trunc desc distinct false float8 from group ilike int is join json last lateral left like limit max min not null nulls offset on only operator order pg_catalog r row_to_json select sum t text time timestamp to_jsonb true where x zone g j m'.split(
    ' ',
  ),
);

const TEXTS = new Set(["'[]'", "'hour'", "'day'", "'week'", "'month'", "'quarter'", "'year'"]);

const SIGNS = '().,:=<>+*@[]$~';

function checkSql(sql: string, values: number): void {
  const scanner = new SqlScanner(sql);
  for (let from = 0; ; from = scanner.end) {
    const kind = scanner.next();
    for (let at = from; at < scanner.start; at++)
      expect(skipComment(sql, at) === at, `a statement has no comment: ${sql}`);
    if (kind === END) return;
    const value = scanner.value();
    switch (kind) {
      case WORD:
        expect(
          WORDS.has(value.toLowerCase()) || /^[ij]\d$/.test(value),
          `a word of a statement is ours, not ${value}: ${sql}`,
        );
        break;
      case QUOTED: {
        const name = value.slice(1, -1).replaceAll('""', '"');
        // Behind the alias of the table; others are names of the result, which a caller may choose.
        const isColumn = sql.slice(0, scanner.start).endsWith(' t.');
        expect(/^"(?:[^"]|"")+"$/.test(value) && (!isColumn || NAMES.has(name)), `a name is one of a column, not ${value}: ${sql}`); // prettier-ignore
        break;
      }
      case STRING:
        expect(TEXTS.has(value), `a text of a statement is ours, not ${value}: ${sql}`);
        break;
      case NUMBER:
        if (value.startsWith('$'))
          expect(Number(value.slice(1)) <= values, 'a placeholder has a value'); // prettier-ignore
        else expect(Number(value) < 1_000, 'a number of a statement is ours');
        break;
      case SYMBOL:
        expect(SIGNS.includes(value), `a sign of a statement is ours, not ${value}: ${sql}`);
    }
  }
}

const NAMES = new Set(ITEM.columns.map(({ name }) => name));
