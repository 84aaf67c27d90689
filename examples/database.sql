-- A small tea and coffee shop: `npm start` serves it if no database is configured.

CREATE TABLE products (
  id serial PRIMARY KEY,
  name text NOT NULL UNIQUE,
  category text NOT NULL CHECK (category IN ('tea', 'coffee', 'pots', 'sweets')),
  price numeric(8, 2) NOT NULL CHECK (price > 0),
  stock integer NOT NULL DEFAULT 0 CHECK (stock >= 0),
  tags text[] NOT NULL DEFAULT '{}',
  added_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON products (category, name);

CREATE TABLE customers (
  id serial PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL UNIQUE,
  city text NOT NULL
);

CREATE TABLE orders (
  id serial PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES customers,
  placed_at timestamptz NOT NULL DEFAULT now(),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'sent', 'cancelled'))
);
CREATE INDEX ON orders (customer_id);

CREATE TABLE order_items (
  order_id integer NOT NULL REFERENCES orders ON DELETE CASCADE,
  product_id integer NOT NULL REFERENCES products,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 100),
  price numeric(8, 2) NOT NULL,
  PRIMARY KEY (order_id, product_id)
);

INSERT INTO products (name, category, price, stock, tags) VALUES
  ('Assam Mangalam', 'tea', 8.90, 120, '{black,loose}'),
  ('Darjeeling First Flush', 'tea', 18.50, 35, '{black,loose,spring}'),
  ('Sencha Yame', 'tea', 14.20, 60, '{green,loose}'),
  ('Gyokuro Asahi', 'tea', 32.00, 12, '{green,shade}'),
  ('Tie Guan Yin', 'tea', 16.75, 48, '{oolong,loose}'),
  ('Bai Mu Dan', 'tea', 12.40, 51, '{white,loose}'),
  ('Lapsang Souchong', 'tea', 9.80, 77, '{black,smoked}'),
  ('Rooibos Vanilla', 'tea', 6.50, 200, '{herbal}'),
  ('Peppermint', 'tea', 4.90, 180, '{herbal}'),
  ('Yirgacheffe', 'coffee', 13.90, 64, '{ethiopia,filter}'),
  ('Sidamo Natural', 'coffee', 15.20, 40, '{ethiopia,filter}'),
  ('Huila Supremo', 'coffee', 11.80, 92, '{colombia,espresso}'),
  ('Antigua Bourbon', 'coffee', 12.60, 58, '{guatemala,filter}'),
  ('Monsooned Malabar', 'coffee', 10.90, 73, '{india,espresso}'),
  ('Decaf Peru', 'coffee', 12.10, 33, '{peru,decaf}'),
  ('Kyusu, 300 ml', 'pots', 39.00, 14, '{clay,japan}'),
  ('Glass pot, 1 l', 'pots', 24.50, 22, '{glass}'),
  ('Gaiwan, porcelain', 'pots', 18.00, 31, '{porcelain,china}'),
  ('Hand dripper', 'pots', 16.90, 45, '{ceramic,filter}'),
  ('Moka pot, 3 cups', 'pots', 29.90, 19, '{aluminium,espresso}'),
  ('Shortbread', 'sweets', 4.20, 150, '{butter}'),
  ('Yokan', 'sweets', 5.60, 40, '{japan,red-bean}'),
  ('Cantuccini', 'sweets', 4.80, 95, '{almond}'),
  ('Candied ginger', 'sweets', 3.90, 110, '{ginger,vegan}');

INSERT INTO customers (name, email, city) VALUES
  ('Ada Brandt', 'ada@example.com', 'Hamburg'),
  ('Luís Carvalho', 'luis@example.com', 'Porto'),
  ('Maeve O''Connor', 'maeve@example.com', 'Galway'),
  ('Jonas Berg', 'jonas@example.com', 'Oslo'),
  ('Noor de Vries', 'noor@example.com', 'Utrecht'),
  ('Emi Tanaka', 'emi@example.com', 'Kyoto');

INSERT INTO orders (customer_id, placed_at, status)
SELECT 1 + n % 6, now() - n * interval '19 hours', (ARRAY['sent', 'paid', 'open', 'sent'])[1 + n % 4]
FROM generate_series(1, 24) n;

INSERT INTO order_items (order_id, product_id, quantity, price)
SELECT o.id, p.id, 1 + (o.id + p.id) % 3, p.price
FROM orders o JOIN products p ON (p.id * 7 + o.id * 5) % 12 = 0;
