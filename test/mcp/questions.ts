/** Questions for numbers, as an analyst asks them: each with the SQL of its right answer, and how an agent finds it. */
import type { Agent, Row } from './questions-agent.js';

export interface Question {
  readonly text: string;
  /** The values of its rows are the right answer. */
  readonly sql: string;
  /** The answer: a value, or rows and lists of values in the order of the SQL. */
  readonly answer: (agent: Agent) => Promise<unknown>;
}

const COUNT = { function: 'count' };

const ofColumn = (name: string, column: string): object => ({ function: name, column });

/** largest is the name with the largest number. */
function largest(sums: ReadonlyMap<unknown, number>): unknown {
  return [...sums].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** summed adds up a column of rows by what `by` gives for each. */
function summed(
  rows: readonly Row[],
  column: string,
  by: (row: Row) => unknown,
): Map<unknown, number> {
  const sums = new Map<unknown, number>();
  for (const row of rows) sums.set(by(row), (sums.get(by(row)) ?? 0) + Number(row[column]));
  return sums;
}

/** NUMBERS are the questions that counts, sums and groups answer. */
export const NUMBERS: readonly Question[] = [
  {
    text: 'How many orders are open?',
    sql: `SELECT count(*) FROM orders WHERE status = 'open'`,
    answer: async (agent) =>
      (await agent.aggregate(await agent.table('orders'), { filters: { status: 'open' } })).rows,
  },
  {
    text: 'How many orders are there in each status?',
    sql: 'SELECT status, count(*) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1',
    answer: async (agent) =>
      (await agent.aggregate(await agent.table('orders'), { group_by: ['status'] })).rows,
  },
  {
    text: 'What was the revenue of the orders in each month, in the time zone Europe/Berlin?',
    sql: `SELECT date_trunc('month', placed_at AT TIME ZONE 'Europe/Berlin')::date, sum(total) FROM orders GROUP BY 1 ORDER BY 1`,
    answer: async (agent) => {
      const month = { column: 'placed_at', by: 'month', time_zone: 'Europe/Berlin' };
      const options = { group_by: [month], aggregates: [ofColumn('sum', 'total')] };
      return (await agent.aggregate(await agent.table('orders'), options)).rows;
    },
  },
  {
    text: 'How many customers have subscribed to the newsletter?',
    sql: `SELECT count(*) FROM customer WHERE preferences @> '{"newsletter": true}'`,
    answer: async (agent) => {
      const table = await agent.table('customer', 'customers newsletter');
      // What a JSON value has is only in a row.
      await agent.select(table, { columns: ['preferences'], limit: 1 });
      return (await agent.aggregate(table, { filters: { preferences: { newsletter: true } } }))
        .rows;
    },
  },
  {
    text: 'How many orders have the tag "gift", and what are they worth on average?',
    sql: `SELECT count(*), avg(total)::float8 FROM orders WHERE tags @> '{gift}'`,
    answer: async (agent) => {
      const options = {
        filters: { tags: { contains: 'gift' } },
        aggregates: [COUNT, ofColumn('avg', 'total')],
      };
      return (await agent.aggregate(await agent.table('orders'), options)).rows;
    },
  },
  {
    text: 'What is the average weight of products, and of how many do we know it?',
    sql: 'SELECT avg(weight_kg)::float8, count(weight_kg) FROM product',
    answer: async (agent) => {
      const aggregates = [ofColumn('avg', 'weight_kg'), ofColumn('count', 'weight_kg')];
      return (
        await agent.aggregate(await agent.table('product', 'products weight'), { aggregates })
      ).rows;
    },
  },
  {
    text: 'How satisfied are customers with tickets of each priority, on average?',
    sql: 'SELECT priority, avg(satisfaction)::float8 FROM crm.ticket GROUP BY 1 ORDER BY 2 DESC, 1',
    answer: async (agent) => {
      const options = { group_by: ['priority'], aggregates: [ofColumn('avg', 'satisfaction')] };
      return (await agent.aggregate(await agent.table('ticket', 'tickets'), options)).rows;
    },
  },
  {
    text: 'How many customers have never placed an order?',
    sql: 'SELECT count(*) FROM customer c WHERE NOT EXISTS (SELECT FROM orders WHERE customer_id = c.id)',
    answer: async (agent) => {
      const all = await agent.aggregate(await agent.table('customer', 'customers'), {});
      const aggregates = [ofColumn('count_distinct', 'customer_id')];
      const some = await agent.aggregate(await agent.table('orders', 'order'), { aggregates });
      return Number(all.rows[0]!['count']) - Number(some.rows[0]!['count_distinct_customer_id']);
    },
  },
  {
    text: 'Which months had more than 3400 orders?',
    sql: `SELECT date_trunc('month', placed_at)::date, count(*) FROM orders GROUP BY 1 HAVING count(*) > 3400 ORDER BY 1`,
    answer: async (agent) => {
      const options = {
        group_by: [{ column: 'placed_at', by: 'month' }],
        having: { count: { '>': 3400 } },
      };
      return (await agent.aggregate(await agent.table('orders'), options)).rows;
    },
  },
  {
    text: 'How many customers have placed at least 40 orders?',
    sql: 'SELECT count(*) FROM (SELECT FROM orders GROUP BY customer_id HAVING count(*) >= 40) c',
    answer: async (agent) => {
      const options = { group_by: ['customer_id'], having: { count: { '>=': 40 } } };
      return (await agent.all('aggregate_table', { ...(await agent.table('orders')), ...options }))
        .length;
    },
  },
  {
    text: 'From which category of products were most items of orders sold?',
    sql: `SELECT c.name FROM order_item i JOIN product p ON p.id = i.product_id JOIN category c ON c.id = p.category_id
      GROUP BY 1 ORDER BY sum(quantity) DESC LIMIT 1`,
    answer: async (agent) => {
      const items = await agent.table('order_item', 'items');
      await agent.table('product', 'products');
      await agent.table('category');
      const options = {
        group_by: ['product.category.name'],
        aggregates: [ofColumn('sum', 'quantity')],
        limit: 1,
      };
      const { rows } = await agent.aggregate(items, options);
      return rows[0]!['product.category.name'];
    },
  },
  {
    text: 'How many entries of the stock are below their reorder level?',
    sql: 'SELECT count(*) FROM stock WHERE quantity < reorder_level',
    answer: async (agent) => {
      const options = {
        columns: ['quantity', 'reorder_level'],
        order_by: ['warehouse_id', 'product_id'],
      };
      const rows = await agent.all('select_table', { ...(await agent.table('stock')), ...options });
      return rows.filter((row) => Number(row['quantity']) < Number(row['reorder_level'])).length;
    },
  },
  {
    text: 'On which day of the week do most orders come in? (Sunday is 0.)',
    sql: 'SELECT extract(dow FROM placed_at)::int FROM orders GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
    answer: async (agent) => {
      const options = { group_by: [{ column: 'placed_at', by: 'day' }] };
      const days = await agent.all('aggregate_table', {
        ...(await agent.table('orders')),
        ...options,
      });
      return largest(
        summed(days, 'count', (row) => new Date(String(row['placed_at'])).getUTCDay()),
      );
    },
  },
  {
    text: 'What is the median of the totals of orders?',
    sql: 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders',
    answer: async (agent) => {
      const table = await agent.table('orders');
      const { rows } = await agent.aggregate(table, {});
      const half = Math.floor(Number(rows[0]!['count']) / 2);
      const middle = { columns: ['total'], order_by: ['total'], offset: half - 1, limit: 2 };
      const totals = (await agent.select(table, middle)).rows.map((row) => Number(row['total']));
      return (totals[0]! + totals[1]!) / 2;
    },
  },
  {
    text: 'How many payments did each method have in each quarter?',
    sql: `SELECT date_trunc('quarter', paid_at)::date, method, count(*) FROM payment GROUP BY 1, 2 ORDER BY 1, 2`,
    answer: async (agent) => {
      const options = { group_by: [{ column: 'paid_at', by: 'quarter' }, 'method'] };
      return (await agent.aggregate(await agent.table('payment', 'payments'), options)).rows;
    },
  },
  {
    text: 'How many shipments are not delivered yet, by the name of the carrier?',
    sql: `SELECT c.name, count(*) FROM shipment s JOIN carrier c ON c.id = carrier_id WHERE delivered_at IS NULL GROUP BY 1 ORDER BY 1`,
    answer: async (agent) => {
      const shipments = await agent.table('shipment', 'shipments');
      await agent.table('carrier');
      const options = {
        group_by: ['carrier.name'],
        filters: { delivered_at: null },
        order_by: ['carrier.name'],
      };
      return (await agent.aggregate(shipments, options)).rows;
    },
  },
  {
    text: 'What is the sum of totall of the orders that are paid?',
    sql: `SELECT sum(total) FROM orders WHERE status = 'paid'`,
    answer: async (agent) => {
      const table = await agent.table('orders');
      const sum = (column: string): Promise<{ rows: readonly Row[]; error?: string }> =>
        agent.aggregate(table, {
          aggregates: [ofColumn('sum', column)],
          filters: { status: 'paid' },
        });
      const meant = /Did you mean (\w+)\?/.exec((await sum('totall')).error!)![1]!;
      return (await sum(meant)).rows;
    },
  },
  {
    text: 'How many customers have an e-mail address at example.org?',
    sql: `SELECT count(*) FROM customer WHERE email LIKE '%@example.org'`,
    answer: async (agent) => {
      const options = { filters: { email: { ilike: '%@example.org' } } };
      return (await agent.aggregate(await agent.table('customer', 'customers'), options)).rows;
    },
  },
  {
    text: 'How many orders of March 2024 have a total above 500, and what is their sum?',
    sql: `SELECT count(*), sum(total) FROM orders WHERE placed_at >= '2024-03-01' AND placed_at < '2024-04-01' AND total > 500`,
    answer: async (agent) => {
      const filters = { placed_at: { '>=': '2024-03-01', '<': '2024-04-01' }, total: { '>': 500 } };
      const options = { filters, aggregates: [COUNT, ofColumn('sum', 'total')] };
      return (await agent.aggregate(await agent.table('orders'), options)).rows;
    },
  },
  {
    text: 'How many tickets are not closed, by priority?',
    sql: 'SELECT priority, count(*) FROM crm.ticket WHERE closed_at IS NULL GROUP BY 1 ORDER BY 2 DESC, 1',
    answer: async (agent) => {
      const options = { filters: { closed_at: null }, group_by: ['priority'] };
      return (await agent.aggregate(await agent.table('ticket', 'tickets'), options)).rows;
    },
  },
  {
    text: 'How many rows has the table invoice of the schema for crm?',
    sql: 'SELECT count(*) FROM crm.invoice',
    answer: async (agent) => {
      // The name alone means two tables; the error says which.
      const { error } = await agent.aggregate({ table: 'invoice' }, {});
      const schema = /\bcrm\b/.exec(error!)![0];
      return (await agent.aggregate({ schema, table: 'invoice' }, {})).rows;
    },
  },
  {
    text: 'In which hour of 2024-05-05, in UTC, did most events of the kind error happen?',
    sql: `SELECT date_trunc('hour', at, 'UTC') FROM event WHERE kind = 'error' AND at >= '2024-05-05 00:00Z' AND at < '2024-05-06 00:00Z'
      GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
    answer: async (agent) => {
      const at = { '>=': '2024-05-05T00:00Z', '<': '2024-05-06T00:00Z' };
      const hour = { column: 'at', by: 'hour', time_zone: 'UTC' };
      const options = {
        filters: { kind: 'error', at },
        group_by: [hour],
        order_by: ['-count'],
        limit: 1,
      };
      const { rows } = await agent.aggregate(await agent.table('event', 'events'), options);
      return rows[0]!['at'];
    },
  },
];
