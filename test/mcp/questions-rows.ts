/** Questions for rows and for the tables themselves. */
import type { Agent, Row, ToolResult } from './questions-agent.js';
import type { Question } from './questions.js';

/** The description of a table that is found by a search. */
async function described(agent: Agent, name: string, search = name): Promise<ToolResult> {
  return agent.call('describe_table', await agent.search(search, name));
}

const column = ({ columns }: ToolResult, name: string): Row =>
  (columns as readonly Row[]).find((one) => one['name'] === name)!;

/** ROWS are the questions that rows answer. */
export const ROWS: readonly Question[] = [
  {
    text: 'Who are the ten best customers by the total of their orders?',
    sql: `SELECT c.name, sum(total) FROM orders JOIN customer c ON c.id = customer_id GROUP BY c.id, 1 ORDER BY 2 DESC, c.id LIMIT 10`,
    answer: async (agent) => {
      const orders = await agent.table('orders');
      await agent.table('customer', 'customers');
      const options = {
        group_by: ['customer_id', 'customer.name'],
        aggregates: [{ function: 'sum', column: 'total' }],
        order_by: ['-sum_total'],
        limit: 10,
      };
      const { rows } = await agent.aggregate(orders, options);
      return rows.map((row) => [row['customer.name'], row['sum_total']]);
    },
  },
  {
    text: 'Which products are described as damaged?',
    sql: `SELECT id, name FROM product WHERE description ILIKE '%damaged%' ORDER BY id`,
    answer: async (agent) => {
      const table = await agent.table('product', 'products');
      const options = { columns: ['id', 'name'], order_by: ['id'] };
      // Without an operator nothing is found, and the hint says how.
      const { rows, hint } = await agent.select(table, {
        ...options,
        filters: { description: '%damaged%' },
      });
      if (rows.length > 0 || !(hint ?? '').includes('{"ilike": "%damaged%"}')) return 'no hint';
      return (
        await agent.select(table, { ...options, filters: { description: { ilike: '%damaged%' } } })
      ).rows;
    },
  },
  {
    text: 'What are the id, the total and the customer of the order 9007199254740993?',
    sql: `SELECT o.id::text, total, c.name FROM orders o JOIN customer c ON c.id = customer_id WHERE o.id = 9007199254740993`,
    answer: async (agent) => {
      const options = {
        columns: ['id', 'total'],
        filters: { id: '9007199254740993' },
        include: { customer: ['name'] },
      };
      return (await agent.select(await agent.table('orders', 'order'), options)).rows;
    },
  },
  {
    text: 'What are the lines of the items of order 1234, with the names of the products?',
    sql: `SELECT line, quantity, p.name FROM order_item JOIN product p ON p.id = product_id WHERE order_id = 1234 ORDER BY line`,
    answer: async (agent) => {
      const options = {
        columns: ['line', 'quantity'],
        filters: { order_id: 1234 },
        order_by: ['line'],
        include: { product_id: ['name'] },
      };
      return (await agent.select(await agent.table('order_item', 'items order'), options)).rows;
    },
  },
  {
    text: 'Which customers of the country MT have no orders?',
    sql: `SELECT id FROM customer c WHERE country = 'MT' AND NOT EXISTS (SELECT FROM orders WHERE customer_id = c.id) ORDER BY id`,
    answer: async (agent) => {
      const include = { orders: { columns: ['id'], limit: 1 } };
      const options = { columns: ['id'], filters: { country: 'MT' }, order_by: ['id'], include };
      const rows = await agent.all('select_table', {
        ...(await agent.table('customer', 'customers')),
        ...options,
      });
      return rows.filter((row) => (row['orders'] as Row[]).length === 0).map((row) => row['id']);
    },
  },
  {
    text: 'To which city is order 777 shipped, and to which is its bill sent?',
    sql: `SELECT s.city, b.city AS billing FROM orders o JOIN address s ON s.id = shipping_address_id JOIN address b ON b.id = billing_address_id
      WHERE o.id = 777`,
    answer: async (agent) => {
      const include = { shipping_address_id: ['city'], billing_address_id: ['city'] };
      const options = { columns: ['id'], filters: { id: 777 }, include };
      const [row] = (await agent.select(await agent.table('orders', 'order'), options)).rows;
      return [row!['shipping_address_id'], row!['billing_address_id']];
    },
  },
  {
    text: 'What are the ids of the last 5 events of the kind error?',
    sql: `SELECT id FROM event WHERE kind = 'error' ORDER BY at DESC LIMIT 5`,
    answer: async (agent) => {
      const options = { columns: ['id'], filters: { kind: 'error' }, order_by: ['-at'], limit: 5 };
      return (await agent.select(await agent.table('event', 'events'), options)).rows;
    },
  },
  {
    text: 'What are the addresses 101 to 200 of all customers by id, that is the second page of their e-mails?',
    sql: 'SELECT email FROM customer ORDER BY id LIMIT 100 OFFSET 100',
    answer: async (agent) => {
      const table = await agent.table('customer', 'customers');
      const options = { columns: ['email'], order_by: ['id'] };
      const { next_offset } = await agent.select(table, options);
      return (await agent.select(table, { ...options, offset: next_offset })).rows;
    },
  },
  {
    text: 'Who is the manager of "Employee 77"?',
    sql: `SELECT m.name FROM employee e JOIN employee m ON m.id = e.manager_id WHERE e.name = 'Employee 77'`,
    answer: async (agent) => {
      const options = {
        columns: ['id'],
        filters: { name: 'Employee 77' },
        include: { manager_id: ['name'] },
      };
      const { rows } = await agent.select(await agent.table('employee'), options);
      return rows[0]!['manager_id'];
    },
  },
  {
    text: 'When did the customer with the e-mail user11@mail.example place the newest of the orders?',
    sql: `SELECT max(placed_at) FROM orders JOIN customer c ON c.id = customer_id WHERE email = 'user11@mail.example'`,
    answer: async (agent) => {
      const table = await agent.table('customer');
      await agent.table('orders');
      const include = { orders: { columns: ['placed_at'], order_by: ['-placed_at'], limit: 1 } };
      const options = { columns: ['id'], filters: { email: 'user11@mail.example' }, include };
      const { rows } = await agent.select(table, options);
      return rows[0]!['orders'];
    },
  },
  {
    text: 'How many products are of the colour red, and what are the first three of them?',
    sql: `SELECT (SELECT count(*) FROM product WHERE attributes @> '{"colour": "red"}'),
      (SELECT json_agg(name ORDER BY id) FROM (SELECT id, name FROM product WHERE attributes @> '{"colour": "red"}' ORDER BY id LIMIT 3) p)`,
    answer: async (agent) => {
      const table = await agent.table('product', 'products colour');
      await agent.select(table, { columns: ['attributes'], limit: 1 });
      const filters = { attributes: { contains: { colour: 'red' } } };
      const options = { columns: ['name'], filters, order_by: ['id'], limit: 3, total: true };
      const { total, rows } = await agent.select(table, options);
      return [total, rows];
    },
  },
  {
    text: 'Which five products have the best reviews, by average stars?',
    sql: `SELECT p.name, avg(stars)::float8 FROM review JOIN product p ON p.id = product_id GROUP BY p.id, 1 ORDER BY 2 DESC, p.id LIMIT 5`,
    answer: async (agent) => {
      const reviews = await agent.table('review', 'reviews');
      await agent.table('product', 'products');
      const options = {
        group_by: ['product_id', 'product.name'],
        aggregates: [{ function: 'avg', column: 'stars' }],
        limit: 5,
      };
      const { rows } = await agent.aggregate(reviews, options);
      return rows.map((row) => [row['product.name'], row['avg_stars']]);
    },
  },
];

/** TABLES are the questions about tables. */
export const TABLES: readonly Question[] = [
  {
    text: 'In which table are the refunds?',
    sql: `SELECT 'public', 'reversal' AS name`,
    answer: (agent) => agent.search('refunds'),
  },
  {
    text: 'Which values can the status of orders have?',
    sql: 'SELECT unnest(enum_range(NULL::order_status))',
    answer: async (agent) => column(await described(agent, 'orders'), 'status')['values'],
  },
  {
    text: 'Which values can the channel of orders have?',
    sql: `SELECT unnest(ARRAY['web', 'app', 'phone', 'store'])`,
    answer: async (agent) =>
      column(await described(agent, 'orders', 'channel orders'), 'channel')['values'],
  },
  {
    text: 'Which tables do the items of orders reference?',
    sql: `SELECT confrelid::regclass::text FROM pg_constraint WHERE conrelid = 'order_item'::regclass AND contype = 'f' ORDER BY 1`,
    answer: async (agent) => {
      const { foreign_keys } = await described(agent, 'order_item', 'items of orders');
      return (foreign_keys as readonly Row[]).map((key) => String(key['table'])).sort();
    },
  },
  {
    text: 'Which tables have foreign keys to the table product?',
    sql: `SELECT DISTINCT conrelid::regclass::text FROM pg_constraint WHERE confrelid = 'product'::regclass ORDER BY 1`,
    answer: async (agent) => {
      const { referenced_by } = await described(agent, 'product');
      return (referenced_by as readonly Row[]).map((key) => String(key['table'])).sort();
    },
  },
  {
    text: 'About how many rows has the table of events, and in how many partitions?',
    sql: 'SELECT count(*), 12 AS partitions FROM event',
    answer: async (agent) => {
      const { tables } = await agent.call('list_tables', { search: 'events' });
      const { estimated_rows, partitions } = (tables as readonly Row[]).find(
        ({ name }) => name === 'event',
      )!;
      return [Math.round(Number(estimated_rows) / 1000) * 1000, partitions];
    },
  },
];
