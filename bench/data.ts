/**
 * The data of the benchmark, and its JSON as PostgreSQL writes it. Rows are functions of their id, so that responses can be
 * checked without the database.
 */
import { createHash } from 'node:crypto';
import { READER } from './token.js';

export const ACCOUNTS = 200_000;
export const DOCUMENTS = 200;
/** Rows of `worlds`, as in the TechEmpower benchmarks, and of `items`, as in HttpArena. */
export const WORLDS = 10_000;
export const ITEMS = 100_000;

/**
 * SCHEMA creates and fills the tables. Row security of `accounts` applies to the role READER only: all others connect as
 * superusers. `documents` is stored uncompressed, because decompression is not measured.
 */
export const SCHEMA = `
CREATE TABLE accounts (
  id integer PRIMARY KEY,
  owner text NOT NULL,
  email text NOT NULL,
  city text NOT NULL,
  balance integer NOT NULL,
  active boolean NOT NULL,
  created timestamptz NOT NULL
);
INSERT INTO accounts
SELECT i, 'Owner ' || i, 'owner' || i || '@example.com', 'city' || i % 100, i * 7 % 10000, i % 3 <> 0,
       timestamptz '2024-01-01T00:00:00Z' + i * interval '1 minute'
FROM generate_series(1, ${ACCOUNTS}) AS i;
CREATE ROLE ${READER};
GRANT SELECT ON accounts TO ${READER};
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON accounts TO ${READER}
USING (current_setting('request.jwt.claims', true)::jsonb ->> 'role' = '${READER}');
CREATE TABLE documents (id integer PRIMARY KEY, body text NOT NULL);
ALTER TABLE documents ALTER COLUMN body SET STORAGE EXTERNAL;
INSERT INTO documents SELECT i, repeat(md5(i::text), 320) FROM generate_series(1, ${DOCUMENTS}) AS i;
CREATE TABLE worlds (id integer PRIMARY KEY, number integer NOT NULL, changed integer);
INSERT INTO worlds SELECT i, i * 31 % 10000 + 1 FROM generate_series(1, ${WORLDS}) AS i;
CREATE TABLE fortunes (id integer PRIMARY KEY, message text NOT NULL);
INSERT INTO fortunes SELECT i, 'Fortune ' || md5(i::text) || ' <script>フレームワーク</script>' FROM generate_series(1, 12) AS i;
CREATE TABLE items (
  id integer PRIMARY KEY,
  name text NOT NULL,
  category text NOT NULL,
  price integer NOT NULL,
  quantity integer NOT NULL,
  active boolean NOT NULL
);
INSERT INTO items
SELECT i, 'Item ' || i, 'category ' || i % 20, i * 7919 % 100000, i % 500, i % 2 = 0
FROM generate_series(1, ${ITEMS}) AS i;
CREATE INDEX ON items (price);
CREATE TABLE stock (id integer PRIMARY KEY, quantity integer NOT NULL);
CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account integer NOT NULL,
  kind text NOT NULL,
  note text NOT NULL,
  price numeric,
  place text,
  at timestamptz
);
`;

export interface Account {
  readonly id: number;
  readonly owner: string;
  readonly email: string;
  readonly city: string;
  readonly balance: number;
  readonly active: boolean;
  readonly created: string;
}

/** account is the row of an id, as PostgreSQL writes it in JSON with the time zone UTC. */
export function account(id: number): Account {
  const minute = new Date(Date.UTC(2024, 0, 1) + id * 60_000).toISOString();
  return {
    id,
    owner: `Owner ${id}`,
    email: `owner${id}@example.com`,
    city: `city${id % 100}`,
    balance: (id * 7) % 10_000,
    active: id % 3 !== 0,
    created: `${minute.slice(0, 19)}+00:00`,
  };
}

/** world is the row of an id. */
export function world(id: number): { readonly id: number; readonly number: number } {
  return { id, number: ((id * 31) % 10_000) + 1 };
}

/** fortunes are all of them, and the one that each request adds, in the order of the bytes of their messages. */
export function fortunes(): readonly { readonly id: number; readonly message: string }[] {
  const rows = Array.from({ length: 12 }, (_, i) => {
    const hash = createHash('md5')
      .update(String(i + 1))
      .digest('hex');
    return { id: i + 1, message: `Fortune ${hash} <script>フレームワーク</script>` };
  });
  rows.push({ id: 0, message: 'Additional fortune added at request time.' });
  return rows.sort((a, b) => (a.message < b.message ? -1 : 1));
}

export interface Item {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly price: number;
  readonly quantity: number;
  readonly active: boolean;
}

/** item is the row of an id. */
export function item(id: number): Item {
  return {
    id,
    name: `Item ${id}`,
    category: `category ${id % 20}`,
    price: (id * 7919) % ITEMS,
    quantity: id % 500,
    active: id % 2 === 0,
  };
}

/** document is the row of an id: 10 KiB of text. */
export function document(id: number): { readonly id: number; readonly body: string } {
  return { id, body: createHash('md5').update(String(id)).digest('hex').repeat(320) };
}
