/**
 * The SQL of the cases for peers without templates: the same statements as in queries/, with JSON from PostgreSQL.
 * Interpolated values are screened as the service does; an unsafe one throws BadValue. A statement with a constant text has a
 * `name`, under which it is prepared.
 */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: string[];
}

/** Looks up a parameter of the query string; undefined when absent. */
export type Query = (key: string) => string | undefined;

export class BadValue extends Error {}

const COLUMNS = 'id, owner, email, city, balance, active, created';
/** The optional conditions of `ten`, in order. */
const OPTIONAL = [
  ['min', 'balance >='],
  ['max', 'balance <='],
  ['city', 'city <>'],
  ['active', 'active ='],
  ['since', 'created >='],
] as const;

const ONE = json(`SELECT ${COLUMNS} FROM accounts WHERE id = $1`);
const PAGE = json(`SELECT ${COLUMNS} FROM accounts WHERE id >= $1 ORDER BY id LIMIT 100`);
const MEGABYTE = json('SELECT id, body FROM documents WHERE id >= $1 ORDER BY id LIMIT 100');
const SLOW = json('SELECT 1 AS done FROM pg_sleep(0.2)');
const QUERIES = json(
  'SELECT w.id, w.number FROM unnest($1::integer[]) AS k (id) JOIN worlds w USING (id) ORDER BY w.id',
);
const UPDATES = `UPDATE worlds w SET changed = $1
FROM (SELECT id FROM worlds WHERE id = ANY ($2::integer[]) ORDER BY id FOR UPDATE) k WHERE w.id = k.id`;
const FORTUNES = json(
  `SELECT id, message
FROM (SELECT id, message FROM fortunes UNION ALL SELECT 0, 'Additional fortune added at request time.') f
ORDER BY message COLLATE "C"`,
);
const ITEMS = json(
  'SELECT id, name, category, price, quantity, active FROM items WHERE price BETWEEN $1 AND $2 ORDER BY id LIMIT 50',
);
const INSERT = 'INSERT INTO events (account, kind, note) VALUES ($1, $2, $3)';

/** Statements for GET: one row with one column, the body. */
export const READS: Readonly<Record<string, (query: Query) => Statement>> = {
  one: (query) => ({ name: 'one', text: ONE, values: [required(query, 'id')] }),
  interpolated: (query) => ({
    text: json(`SELECT ${COLUMNS} FROM accounts WHERE id = ${screened(required(query, 'id'))}`),
    values: [],
  }),
  page: (query) => ({ name: 'page', text: PAGE, values: [required(query, 'from')] }),
  ten,
  megabyte: (query) => ({ name: 'megabyte', text: MEGABYTE, values: [required(query, 'from')] }),
  slow: () => ({ name: 'slow', text: SLOW, values: [] }),
  queries: (query) => ({ name: 'queries', text: QUERIES, values: [required(query, 'ids')] }),
  fortunes: () => ({ name: 'fortunes', text: FORTUNES, values: [] }),
  items: (query) => ({
    name: 'items',
    text: ITEMS,
    values: [required(query, 'min'), required(query, 'max')],
  }),
};

/** Statements for POST; the response is the number of rows. */
export const WRITES: Readonly<Record<string, (query: Query) => Statement>> = {
  updates: (query) => ({
    name: 'updates',
    text: UPDATES,
    values: [required(query, 'number'), required(query, 'ids')],
  }),
  insert: (query) => ({
    name: 'insert',
    text: INSERT,
    values: [required(query, 'account'), required(query, 'kind'), required(query, 'note')],
  }),
};

function ten(query: Query): Statement {
  const values = [required(query, 'from'), required(query, 'to'), required(query, 'owner')];
  let text = `SELECT ${COLUMNS} FROM accounts WHERE id >= $1 AND id < $2 AND owner <> $3`;
  let name = 'ten';
  for (const [key, condition] of OPTIONAL) {
    const value = query(key);
    if (value === undefined) continue;
    text += ` AND ${condition} $${values.push(value)}`;
    name += `-${key}`;
  }
  text += ` ORDER BY id LIMIT $${values.push(required(query, 'limit'))}`;
  text += ` OFFSET $${values.push(required(query, 'offset'))}`;
  return { name, text: json(text), values };
}

/** json wraps a query so that PostgreSQL writes the body. */
function json(text: string): string {
  return `SELECT coalesce(json_agg(s), '[]') FROM (${text}) s`;
}

function required(query: Query, key: string): string {
  const value = query(key);
  if (value === undefined) throw new BadValue(`missing parameter ${key}`);
  return value;
}

function screened(value: string): string {
  if (!/^[\w.:@/\\-]+$/.test(value) || value.includes('--') || value.includes('::')) {
    throw new BadValue('value cannot be interpolated');
  }
  return value;
}
