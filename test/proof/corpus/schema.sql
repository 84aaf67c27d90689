-- The application of the corpus: a shop with customers, products, orders, events and, in a schema of their own, invoices.

CREATE TYPE order_status AS ENUM ('new', 'paid', 'shipped', 'cancelled');
CREATE DOMAIN email_address AS text CHECK (VALUE ~ '^[^@ ]+@[^@ ]+$');

CREATE TABLE countries (
  code char(2) PRIMARY KEY,
  name text NOT NULL,
  currency char(3) NOT NULL
);

CREATE TABLE tenants (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug text NOT NULL UNIQUE
);

CREATE TABLE customers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id integer REFERENCES tenants,
  name text NOT NULL,
  email email_address NOT NULL UNIQUE,
  city text,
  country char(2) REFERENCES countries,
  vip boolean NOT NULL DEFAULT false,
  attributes jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE categories (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  parent_id integer REFERENCES categories,
  name text NOT NULL
);

CREATE TABLE products (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  category_id integer REFERENCES categories,
  sku text NOT NULL UNIQUE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  price numeric(10, 2) NOT NULL,
  gross_price numeric GENERATED ALWAYS AS (round(price * 1.23, 2)) STORED,
  stock integer NOT NULL DEFAULT 0,
  tags text[] NOT NULL DEFAULT '{}',
  attributes jsonb NOT NULL DEFAULT '{}',
  search tsvector GENERATED ALWAYS AS (to_tsvector('english', name || ' ' || description)) STORED,
  discontinued_on date
);
CREATE INDEX ON products USING gin (search);

CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer_id bigint NOT NULL REFERENCES customers,
  status order_status NOT NULL DEFAULT 'new',
  currency char(3) NOT NULL DEFAULT 'EUR',
  note text,
  carrier text,
  total numeric(12, 2) NOT NULL DEFAULT 0,
  placed_at timestamptz NOT NULL DEFAULT now(),
  shipped_at timestamptz
);

CREATE TABLE archived_orders (
  id bigint PRIMARY KEY,
  customer_id bigint NOT NULL,
  status text NOT NULL,
  total numeric(12, 2) NOT NULL,
  placed_at timestamptz NOT NULL
);

CREATE TABLE order_items (
  order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
  product_id integer NOT NULL REFERENCES products,
  quantity integer NOT NULL CHECK (quantity > 0),
  unit_price numeric(10, 2) NOT NULL,
  line_total numeric GENERATED ALWAYS AS (quantity * unit_price) STORED,
  PRIMARY KEY (order_id, product_id)
);

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY,
  customer_id bigint,
  kind text NOT NULL,
  payload jsonb NOT NULL DEFAULT '{}',
  occurred_at timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (occurred_at);
CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE events_later PARTITION OF events DEFAULT;

CREATE TABLE settings (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_by text,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE SCHEMA billing;

CREATE TABLE billing.invoices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id bigint NOT NULL REFERENCES orders,
  number text NOT NULL UNIQUE,
  amount numeric(12, 2) NOT NULL,
  issued_on date NOT NULL DEFAULT current_date,
  due_on date NOT NULL,
  paid_at timestamptz,
  reminders smallint NOT NULL DEFAULT 0
);

CREATE TABLE billing.payments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  invoice_id bigint NOT NULL REFERENCES billing.invoices,
  amount numeric(12, 2) NOT NULL,
  method text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);

CREATE VIEW order_overview AS
SELECT o.id, o.status, o.placed_at, c.name AS customer, c.city, count(i.product_id) AS lines,
  coalesce(sum(i.line_total), 0) AS total
FROM orders o
JOIN customers c ON c.id = o.customer_id
LEFT JOIN order_items i ON i.order_id = o.id
GROUP BY o.id, c.id;

CREATE VIEW billing.open_invoices AS
SELECT id, number, amount, due_on, current_date - due_on AS days_late
FROM billing.invoices WHERE paid_at IS NULL;

CREATE FUNCTION discounted(price numeric, percent integer) RETURNS numeric
LANGUAGE sql IMMUTABLE AS 'SELECT round(price * (100 - percent) / 100, 2)';

CREATE FUNCTION category_ids(root integer) RETURNS SETOF integer LANGUAGE sql STABLE AS $$
  WITH RECURSIVE tree AS (
    SELECT id FROM categories WHERE id = root
    UNION ALL
    SELECT c.id FROM categories c JOIN tree t ON c.parent_id = t.id
  )
  SELECT id FROM tree
$$;

CREATE FUNCTION record_event(customer bigint, kind text, payload jsonb DEFAULT '{}') RETURNS bigint
LANGUAGE sql AS 'INSERT INTO events (customer_id, kind, payload) VALUES ($1, $2, $3) RETURNING id';
